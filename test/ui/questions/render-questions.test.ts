import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseTaskId } from '../../../lib/domain/ids.ts';
import type { QuestionData } from '../../../lib/domain/questions/question-data.ts';
import { prepareChangesetQuestion } from '../../../lib/ui/questions/prepare-changeset-question.ts';
import { prepareValidationQuestion } from '../../../lib/ui/questions/prepare-validation-questions.ts';
import { renderQuestions } from '../../../lib/ui/questions/render-questions.ts';
import { plainStyle, sampleChangesetQuestion, sampleTask, sampleVerdict } from '../samples.ts';

const at = '2026-02-06T14:30:22.000Z';

function shown(asks: QuestionData): string {
  const gate = { id: 'gate-1a2b3c4d', session: null, asked_at: at, asks };
  return renderQuestions([gate], plainStyle(200), new Date(at));
}

test('DSK-6: what a failing check said stands in the list of questions, and where the diff is to be seen', () => {
  const stack = Array.from({ length: 40 }, (_, step) => `    at step ${step}`);
  const output = ['AssertionError: 3 == 1', ...stack].join('\n');
  const red = { command: 'npm test', exit_code: 1, output, timed_out: false, duration_ms: 1 };
  const { asks } = prepareValidationQuestion({
    ...{
      task: sampleTask(),
      verdict: sampleVerdict({ diagnostics: [red] }),
      editProblems: async () => [],
      showDiff: async () => '',
    },
  });
  assert.match(shown(asks), /AssertionError: 3 == 1[\s\S]* at step 39\n/);
  assert.not.match(shown(asks), 'at step 20');
  assert.match(shown(asks), `The diff: git flame show ${sampleTask().id} --diff\n`);
});

test('DSK-6: what a rejection does is said of the tasks there are', async () => {
  const question = sampleChangesetQuestion();
  const asked = async (ids: readonly string[]): Promise<string> => {
    const tasks = ids.map((id) => sampleTask({ id: parseTaskId(id) }));
    return shown((await prepareChangesetQuestion({ ...question, tasks })).asks);
  };
  assert.match(await asked(['task-001']), /its task is sent back with the reason/);
  assert.match(await asked(['task-001', 'task-002']), /its tasks, or only those you name, are sent back/);
});

test.run();
