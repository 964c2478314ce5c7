import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { measureAwakeTime, type Ticker, watchForSilence } from '../../../lib/cell/run/awake-clock.ts';
import { makeTempDir } from '../../support/repo.ts';

const hour = 3_600_000;

/** A clock that goes only when it's told to. */
function handClock(): Ticker & { advance(ms: number): void; readonly isRunning: () => boolean } {
  let [now, action, every] = [0, (): void => undefined, 0];
  return {
    now: () => now,
    every(ms, tick) {
      [every, action] = [ms, tick];
      return () => {
        every = 0;
      };
    },
    isRunning: () => every > 0,
    /** One tick, `ms` late. */
    advance(ms) {
      now += every + ms;
      action();
    },
  };
}

test('LIF-2 BUD-2 time stands still while a person is waited for', () => {
  const clock = handClock();
  let [over, isHeld] = [0, true];
  measureAwakeTime({ timeoutMs: 10_000, lookMs: 30_000, isPaused: () => isHeld, onTime: () => (over += 1) }, clock);
  for (let tick = 1; tick <= 100; tick += 1) clock.advance(0);
  assert.is(over, 0);
  isHeld = false;
  for (let tick = 1; tick <= 9; tick += 1) clock.advance(0);
  assert.is(over, 0);
  for (let tick = 1; tick <= 2; tick += 1) clock.advance(0);
  assert.is(over, 1);
});

test('LIF-2 time is over when the machine was awake for so long', () => {
  const clock = handClock();
  let over = 0;
  const end = measureAwakeTime({ timeoutMs: 10_000, lookMs: 30_000, onTime: () => (over += 1) }, clock);
  for (let tick = 1; tick <= 9; tick += 1) clock.advance(0);
  assert.is(over, 0);
  for (let tick = 1; tick <= 9; tick += 1) clock.advance(0);
  assert.is(over, 1, 'once');
  end();
  assert.is(clock.isRunning(), false);
});

test('LIF-2 a laptop that was closed for an hour ends nothing at its wake', () => {
  const clock = handClock();
  let over = 0;
  measureAwakeTime({ timeoutMs: 300_000, lookMs: 30_000, onTime: () => (over += 1) }, clock);
  for (let tick = 0; tick < 66; tick += 1) clock.advance(0);
  clock.advance(hour);
  for (let tick = 0; tick < 30; tick += 1) clock.advance(0);
  assert.is(over, 0, '297 s of being awake, and an hour of sleep');
  for (let tick = 0; tick < 20; tick += 1) clock.advance(0);
  assert.is(over, 1);
});

test('LIF-2 a limit shorter than a look is kept too, and no limit never ends', () => {
  const clock = handClock();
  let over = 0;
  measureAwakeTime({ timeoutMs: 100, lookMs: 30_000, onTime: () => (over += 1) }, clock);
  for (let tick = 0; tick < 3; tick += 1) clock.advance(0);
  assert.is(over, 0);
  clock.advance(0);
  assert.is(over, 1);
  const other = handClock();
  measureAwakeTime({ timeoutMs: 0, lookMs: 10, onTime: () => (over += 1) }, other);
  for (let tick = 0; tick < 1_000; tick += 1) other.advance(0);
  assert.is(over, 1);
});

test('LIF-2 an agent that prints nothing and asks nothing for four heartbeats is told of, once a silence', () => {
  const file = join(makeTempDir(), 'audit.jsonl');
  const told: number[] = [];
  let [tooLong, isWaiting] = [0, false];
  const quiet = watchForSilence({
    ...{ heartbeatMs: 100, patienceMs: 1_000, files: [file] },
    isWaiting: () => isWaiting,
    onQuiet: (ms) => told.push(ms),
    onTooLong: () => {
      tooLong += 1;
    },
  });
  let at = 0;
  const look = (times: number): void => {
    for (let time = 0; time < times; time += 1) {
      at += 100;
      quiet.look(at);
    }
  };
  look(4);
  assert.equal(told, []);
  look(5);
  assert.equal(told, [400]);
  quiet.hear();
  look(4);
  assert.equal(told, [400]);
  look(1);
  assert.equal(told, [400, 400]);
  appendFileSync(file, '{}\n');
  look(4);
  assert.equal(told, [400, 400], 'a call is a sign of life');
  look(1);
  assert.equal(told, [400, 400, 400]);
  look(5);
  assert.is(tooLong, 0);
  look(10);
  assert.is(tooLong, 1, 'once a silence');
  isWaiting = true;
  look(20);
  isWaiting = false;
  look(9);
  assert.is(tooLong, 1, 'who waits for an answer of ours is not silent');
  look(1);
  assert.is(tooLong, 2);
});

test.run();
