import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { decisionsFileSchema } from '../../../lib/domain/config/decisions-file-schema.ts';
import { FlameError } from '../../../lib/domain/flame-error.ts';
import type { AnswerField, OfferedAnswer } from '../../../lib/domain/questions/answer-definition.ts';
import {
  describeGateDecision,
  listAnsweringOptions,
  listCommandLineAnswers,
  listDecisionsFileForms,
  listOfferedAnswers,
  readDecisionsFileAnswer,
  renderAnswerUsage,
  renderDecisionsFileForms,
} from '../../../lib/domain/questions/offered-answers.ts';
import { parseAnswerToQuestion } from '../../../lib/domain/questions/parse-answer.ts';
import type { ChangesetQuestionData, QuestionData } from '../../../lib/domain/questions/question-data.ts';
import { listQuestionFacts, renderQuestionTitle } from '../../../lib/domain/questions/question-facts.ts';

const checks = [{ command: 'npm test', result: 'exit 1', is_good: false, output: 'not ok' }];
const undoable = [{ id: '1-api', group: 'api', state: 'rejected', reason: 'No.' }] as const;
const two = ['one', 'two'].map((id) => ({ id, title: `Do ${id}`, verdict: 'pass' as const, notes: '' }));
const others = [{ task: 'two', attempt: 3, words: 'claude, 9 lines' }];

const changeset: ChangesetQuestionData = {
  ...{ gate: 'changesets', id: '1-auth', group: 'auth', commit: 'a'.repeat(40) as never, depends_on: [] },
  ...{ missing: [], diffstat: { files: 1, insertions: 2, deletions: 3 }, position: 1, total: 2, tasks: two },
  ...{ red: true, checks, warnings: ['It conflicts.'], on_top: [], others, has_message: true, undoable },
};

/** Each kind of question with all its answers. */
const all: readonly QuestionData[] = [
  {
    ...{ gate: 'plan', objective: 'Count', tasks: 2, problems: [], notes: [], replans_left: 1 },
    quit_means: 'the session ends',
  },
  {
    ...{ gate: 'validation', task: 'two', title: 'Do two', by: 'validator', notes: 'No salt.', issues: [] },
    ...{ checks, description: 'Do it.', file_locks: ['two.txt'], others },
  },
  { gate: 'validator_failed', task: 'two', title: 'Do two', reason: 'It died.', checks, red: true },
  changeset,
  {
    ...{ gate: 'session', answers: ['continue', 'retry', 'replan', 'stop', 'undo'], cycle: 1 },
    ...{ cycles_left: 2, results: [], troubled: [], lines: [], undoable },
  },
  { gate: 'budget', spent: 5, limit: 5, unit: 'usd' },
  { gate: 'base', failing: ['npm test fails'] },
  {
    ...{ gate: 'question', agent: 'worker-1a2b3c4d', task: 'one', title: 'Do one' },
    ...{ until: '2026-02-06T15:00:00.000Z' },
    questions: [{ question: 'Which?', options: [{ label: 'A', description: '' }], isSeveral: false }],
  },
];

function sample(field: AnswerField): unknown {
  switch (field.kind) {
    case 'words':
      return field.isListed === true ? ['so'] : 'so';
    case 'lines':
      return field.value;
    case 'tick':
      return true;
    case 'amount':
      return 2;
    case 'one':
      return field.options[0]?.value;
    case 'some':
      return field.options.map(({ value }) => value);
    case 'comments':
      return [{ path: 'a.ts', side: 'new', line: 1, text: 'Why?' }];
  }
}

function filled({ fields, given, word }: OfferedAnswer): Readonly<Record<string, unknown>> {
  return { ...given, ...Object.fromEntries(fields.map((one) => [one.name, sample(one)])), kind: word };
}

function refused(answers: readonly OfferedAnswer[], given: unknown): string {
  try {
    parseAnswerToQuestion(answers, given);
  } catch (error) {
    if (error instanceof FlameError && error.code === 'bad-answer') return error.message;
    throw error;
  }
  throw new Error(`it was taken: ${JSON.stringify(given)}`);
}

for (const asks of all) {
  test(`each answer at the ${asks.gate} gate is taken with its fields, and with nothing beside them`, () => {
    const answers = listOfferedAnswers(asks);
    assert.ok(answers.length > 1);
    assert.ok(renderQuestionTitle(asks).length > 0 && listQuestionFacts(asks).length > 0);
    for (const answer of answers) {
      const given = filled(answer);
      assert.equal(parseAnswerToQuestion(answers, given), given, answer.label);
      assert.ok(answer.means.length > 0 && describeGateDecision(asks.gate, given as never).length > 0, answer.label);
      refused(answers, { ...given, other: 1 });
      // The table is one for programs, too: nothing is lost by JSON.
      assert.equal(JSON.parse(JSON.stringify(answer)), answer);
    }
    assert.match(refused(answers, { kind: 'none' }), 'none is not among its answers');
    const keys = answers.map(({ key }) => key).filter((key) => key !== '');
    const letters = [...new Set(keys)].map((key) => /\((\w)\)/.exec(key)?.[1]);
    assert.is(new Set(letters).size, letters.length, `one key, one answer: ${keys}`);
  });

  test(`each answer at the ${asks.gate} gate is typed in one line`, () => {
    const words = new Set(listOfferedAnswers(asks).map(({ word }) => word));
    const typed = listCommandLineAnswers(asks);
    assert.equal([...typed.map(({ word }) => word)].sort(), [...words].sort());
    for (const one of typed) {
      const [own] = listOfferedAnswers(asks).filter(({ word }) => word === one.word);
      if (own === undefined) continue;
      const text = one.text === '' ? '' : textOf(own);
      const given = one.read(text, {});
      assert.is(
        (parseAnswerToQuestion(listOfferedAnswers(asks), given) as { kind: string }).kind,
        one.word,
        renderAnswerUsage(one),
      );
    }
  });
}

/** What stands behind the word, for an answer with its first field alone. */
function textOf({ fields, given }: OfferedAnswer): string {
  const [first] = fields.filter(({ kind }) => kind !== 'comments');
  return first === undefined ? Object.values(given).flat().join(' ') : [sample(first)].flat().join(' ');
}

test('what an answer needs, offers and forbids depends on what is asked', () => {
  const answers = listOfferedAnswers(changeset);
  assert.match(refused(answers, { kind: 'approve' }), 'override: it is needed');
  assert.match(refused(answers, { kind: 'approve', override: ' \u200b' }), 'it needs visible characters');
  assert.match(refused(answers, { kind: 'reject', reason: 'so', tasks: ['three'] }), 'it has no task three');
  assert.match(refused(answers, { kind: 'choose', task: 'two', attempt: 2 }), 'not one of the choices');
  assert.match(refused(answers, { kind: 'undo', changeset: '9-x' }), 'there is no decision here to undo for 9-x');
  assert.match(refused(answers, { kind: 'suggest', comments: [] }), 'suggest is not among its answers');
  const green = { ...changeset, red: false, tasks: two.slice(0, 1), others: [], undoable: [] };
  assert.equal(
    listOfferedAnswers(green).map(({ label }) => label),
    ['Approve', 'Send back', 'Approve with a message', 'Skip'],
  );
  // What is left empty is not given.
  const empty = { kind: 'approve', message: ' ', comments: [] };
  assert.equal(parseAnswerToQuestion(listOfferedAnswers(green), empty), { kind: 'approve' });
});

test('MRG-8: a red changeset is checked again wherever it is answered', () => {
  const red = listOfferedAnswers(changeset).find(({ word }) => word === 'recheck');
  assert.is(red?.key, 'chec(k) again');
  assert.not.ok(listOfferedAnswers({ ...changeset, red: false }).some(({ word }) => word === 'recheck'));
  assert.equal(parseAnswerToQuestion(listOfferedAnswers(changeset), { kind: 'recheck' }), {
    kind: 'recheck',
  });
  assert.match(refused(listOfferedAnswers({ ...changeset, red: false }), { kind: 'recheck' }), 'not among its answers');
  assert.ok(listCommandLineAnswers(changeset).map(renderAnswerUsage).includes('recheck'));
  assert.ok(decisionsFileSchema.safeParse({ changesets: ['recheck', { auth: 'recheck' }] }).success);
  assert.equal(readDecisionsFileAnswer('changesets', 'recheck'), { kind: 'recheck' });
  assert.ok(renderDecisionsFileForms(changeset).includes('recheck'));
  assert.is(describeGateDecision('changesets', { kind: 'recheck' }), 'checked again');
});

test('a decisions file has a form for each answer that it may give, and each form is an answer', () => {
  for (const { gate } of all) {
    for (const form of listDecisionsFileForms(gate)) {
      const entry = form.word ?? { [form.key ?? '']: 'x' };
      assert.is(
        readDecisionsFileAnswer<{ kind: string }>(gate, entry).kind,
        form.answer,
        `${gate}: ${form.word ?? form.key}`,
      );
    }
  }
  assert.equal(readDecisionsFileAnswer('changesets', { override: 'so', message: 'feat: a' }), {
    ...{ kind: 'approve', override: 'so', message: 'feat: a' },
  });
  assert.equal(readDecisionsFileAnswer('changesets', { choose: { two: 3 } }), {
    kind: 'choose',
    task: 'two',
    attempt: 3,
  });
  assert.equal(readDecisionsFileAnswer('validator_failed', { override: 'so' }), {
    kind: 'pass',
    notes: 'so',
  });
  assert.equal(renderDecisionsFileForms(changeset), ['{override: REASON}', '{reject: REASON}', 'skip', 'recheck']);
  assert.equal(listAnsweringOptions({ ...changeset, red: false }), ['--approve', '--reject REASON', '--skip']);
});

test.run();
