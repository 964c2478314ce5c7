import { mock } from 'node:test';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { limitRetries, type RetryLimit } from '../../../lib/cell/gateway/service-account.ts';

// By a clock that stands until it is put forward.

test.before.each(() => mock.timers.enable({ apis: ['setTimeout'] }));
test.after.each(() => mock.timers.reset());

interface Client {
  readonly patience: RetryLimit;
  /** Whether a request is on its way. */
  isAsking: boolean;
  /** How often it was called over. */
  ends: number;
}

function openClient(longestWaitMs = 30_000): Client {
  const client: { -readonly [Key in keyof Client]: Client[Key] } = {
    isAsking: false,
    ends: 0,
    patience: limitRetries({
      longestWaitMs,
      isAsking: () => client.isAsking,
      onOver: () => {
        client.ends += 1;
      },
    }),
  };
  return client;
}

test('LIF-5: ten seconds after the first refusal it is over, however often it was refused meanwhile', () => {
  const client = openClient();
  client.patience.refused(0);
  for (let second = 1; second < 10; second += 1) {
    mock.timers.tick(1_000);
    client.patience.refused(0);
  }
  mock.timers.tick(999);
  assert.is(client.ends, 0);
  mock.timers.tick(1);
  assert.is(client.ends, 1);
});

test('LIF-5: a wait that the service names is waited out with a little more, one that is too long is not', () => {
  const [told, long] = [openClient(), openClient()];
  told.patience.refused(20_000);
  long.patience.refused(30_001);
  mock.timers.tick(10_000);
  assert.equal([told.ends, long.ends], [0, 1]);
  mock.timers.tick(14_999);
  assert.is(told.ends, 0);
  mock.timers.tick(1);
  assert.is(told.ends, 1);
  // What is said later makes no first refusal later.
  const later = openClient();
  later.patience.refused(0);
  mock.timers.tick(9_000);
  later.patience.refused(25_000);
  mock.timers.tick(1_000);
  assert.is(later.ends, 1);
});

test('LIF-5: an answer begins it anew, and who is answered in time is never ended', () => {
  const client = openClient();
  for (let turn = 0; turn < 5; turn += 1) {
    client.patience.refused(0);
    mock.timers.tick(9_999);
    client.patience.answered();
  }
  mock.timers.tick(100_000);
  assert.is(client.ends, 0);
  client.patience.refused(0);
  mock.timers.tick(10_000);
  assert.is(client.ends, 1);
});

test('LIF-5: a request that is on its way when the time is over may still be answered', () => {
  const [answered, refused] = [openClient(), openClient()];
  for (const client of [answered, refused]) {
    client.patience.refused(0);
    client.isAsking = true;
    mock.timers.tick(60_000);
    assert.is(client.ends, 0);
  }
  answered.patience.answered();
  refused.patience.refused(0);
  assert.equal([answered.ends, refused.ends], [0, 1]);
  // Anew after that answer, not where it was.
  answered.patience.refused(0);
  assert.is(answered.ends, 0);
});

test('what is closed ends nobody', () => {
  const client = openClient();
  client.patience.refused(0);
  client.patience.close();
  mock.timers.tick(60_000);
  assert.is(client.ends, 0);
});

test.run();
