import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type AttemptProgress, longestTurnHoldMs, RunningAttempts } from '../../../lib/engine/work/running-attempts.ts';

function makeAttempts(): RunningAttempts {
  const untilEnded = (_: number, signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => signal.addEventListener('abort', () => resolve()));
  return new RunningAttempts({ chainFrom: () => 1, sleep: untilEnded });
}

function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** An attempt whose outcome is recorded when it is told so, and that clears up then. */
function beginOne(attempts: RunningAttempts, name: string, log: string[]): () => void {
  let recorded: () => void = () => undefined;
  attempts.begin(name, async (steps: AttemptProgress) => {
    await new Promise<void>((resolve) => {
      recorded = resolve;
    });
    steps.onRecorded();
    await steps.clearUp(async () => void log.push(`${name} cleared up`));
  });
  return () => recorded();
}

test('what an outcome lets begin comes before what is left of it is cleared up', async () => {
  const attempts = makeAttempts();
  const log: string[] = [];
  const step = attempts.nextStep();
  const record = beginOne(attempts, 'one', log);
  attempts.onLooked();
  record();
  await step;
  await settled();
  assert.equal(log, []);
  assert.ok(attempts.has('one'));
  // The look that the record led to.
  const next = attempts.nextStep();
  await settled();
  attempts.begin('two', (steps) => steps.open(async () => void log.push('two begun')));
  attempts.onLooked();
  await next;
  await settled();
  assert.equal(log, ['two begun', 'one cleared up']);
  assert.is(attempts.size, 0);
});

test('a look that never ends keeps nothing from being cleared up for long', async () => {
  const log: string[] = [];
  const waits: number[] = [];
  const attempts = new RunningAttempts({ chainFrom: () => 1, sleep: async (ms) => void waits.push(ms) });
  void attempts.nextStep();
  beginOne(attempts, 'one', log)();
  await settled();
  assert.equal(log, ['one cleared up']);
  assert.is(waits[0], longestTurnHoldMs);
});

test('where nobody looks any more, what is left is cleared up at once', async () => {
  const attempts = makeAttempts();
  const log: string[] = [];
  void attempts.nextStep();
  const records = ['one', 'two'].map((name) => beginOne(attempts, name, log));
  records[0]?.();
  await settled();
  assert.equal(log, []);
  const over = attempts.settled();
  await settled();
  records[1]?.();
  await over;
  assert.equal(log, ['one cleared up', 'two cleared up']);
});

test.run();
