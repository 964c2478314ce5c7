import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { pauseTimeForQuestions, readUnansweredQuestion } from '../../lib/cell/run/paused-time.ts';
import { makeTempDir } from '../support/repo.ts';

const never = new AbortController().signal;
const question = (text: string) => [{ question: text, options: [], isSeveral: false }];

test('DSK-6 of two questions at once, the one that is still open is said after a kill', async () => {
  const root = makeTempDir();
  const answers = new Map<string, () => void>();
  const run = { pendingRequests: 0 };
  const ask = pauseTimeForQuestions(
    (questions) =>
      new Promise((resolve) => {
        answers.set(questions[0]?.question ?? '', () => resolve({ kind: 'proceed', why: 'No.' }));
      }),
    { run, root, mostMs: 600_000 },
  );
  const first = ask(question('First?'), never);
  const second = ask(question('Second?'), never);
  assert.is(readUnansweredQuestion(root), 'First?\nSecond?');
  assert.is(run.pendingRequests, 2);
  answers.get('First?')?.();
  await first;
  assert.is(readUnansweredQuestion(root), 'Second?');
  answers.get('Second?')?.();
  await second;
  assert.equal([readUnansweredQuestion(root), run.pendingRequests], ['', 0]);
});

test('DSK-6 its time stands still for so long in sum and no longer', async () => {
  const run = { pendingRequests: 0 };
  const seen: number[] = [];
  const ask = pauseTimeForQuestions(
    async () => {
      seen.push(run.pendingRequests);
      while (run.pendingRequests > 0) await new Promise((resolve) => setImmediate(resolve));
      return { kind: 'proceed', why: 'No.' };
    },
    { run, root: makeTempDir(), mostMs: 5 },
  );
  await ask(question('First?'), never);
  await ask(question('Second?'), never);
  assert.equal([seen, run.pendingRequests], [[1, 0], 0]);
});

test.run();
