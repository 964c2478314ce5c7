import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { computeStats, type SessionRecord } from '../../../lib/core/stats/compute-stats.ts';
import { computeDistribution } from '../../../lib/core/stats/distribution.ts';
import type { Anomalies } from '../../../lib/domain/view-models/stats-report.ts';
import { beginning, pastSession } from './rig.ts';

function anomalies(past: readonly SessionRecord[], now: SessionRecord): Anomalies {
  return computeStats({ reported: [now], all: [...past, now], slots: 4, now: new Date(beginning) }).anomalies;
}

const usual = [58, 60, 61, 59, 64, 60].map((seconds, index) => pastSession(index, { seconds }));

test('WFL-3: without enough history nothing is called out of the ordinary, and that is said', () => {
  const found = anomalies(usual.slice(0, 4), pastSession(9, { seconds: 9_000, usd: 50 }));
  assert.equal(found, { history: 4, needed: 5, found: [] });
});

test('WFL-3: what is as always is no anomaly, what is far from it is', () => {
  assert.equal(anomalies(usual, pastSession(9, { seconds: 63 })).found, []);
  const { found, history } = anomalies(usual, pastSession(9, { seconds: 600, usd: 2 }));
  assert.is(history, 6);
  const ofSession = found.filter(({ task }) => task === null).map(({ metric }) => metric);
  assert.equal(ofSession.sort(), ['cost per task', 'cycle time', 'estimate ratio']);
  assert.ok(found.some(({ says }) => /^cycle time is 600 s, more than usual: 60 s over 6 sessions$/.test(says)));
  // 24 landed tasks are enough to tell single ones too.
  assert.is(found.filter(({ task, metric }) => task !== null && metric === 'cycle time').length, 4);
});

test('the other direction counts too', () => {
  const { found } = anomalies(usual, pastSession(9, { seconds: 60, usd: 0.2 }));
  assert.equal(found, []);
  const slow = Array.from({ length: 6 }, (_, index) => pastSession(index, { seconds: 2_000 + index }));
  const [quick] = anomalies(slow, pastSession(9, { seconds: 60 })).found;
  assert.is(quick?.metric, 'cycle time');
  assert.ok((quick?.score ?? 0) < -3.5);
  assert.match(quick?.says ?? '', /less than usual/);
});

test('one odd session of the past moves nothing', () => {
  const withOdd = [...usual, pastSession(7, { seconds: 90_000, usd: 400 })];
  assert.is(anomalies(withOdd, pastSession(9, { seconds: 61 })).found.length, 0);
  assert.ok(anomalies(withOdd, pastSession(9, { seconds: 900 })).found.length > 0);
});

test('where all were exactly alike, a little more is no anomaly', () => {
  const alike = Array.from({ length: 8 }, (_, index) => pastSession(index));
  assert.equal(anomalies(alike, pastSession(9, { seconds: 61, usd: 0.21 })).found, []);
});

test('a session is compared with those before it, never with later ones', () => {
  const later = [20, 21, 22, 23, 24, 25].map((number) => pastSession(number, { seconds: 5_000 }));
  assert.equal(anomalies([...usual, ...later], pastSession(9)).found, []);
});

test('quantiles are those of the textbook', () => {
  assert.is(computeDistribution([]), null);
  assert.equal(computeDistribution([3]), { count: 1, min: 3, median: 3, p90: 3, max: 3, mean: 3, sum: 3 });
  const ten = computeDistribution([10, 1, 9, 2, 8, 3, 7, 4, 6, 5]);
  assert.is(ten?.median, 5.5);
  assert.is(ten?.p90, 9.1);
});

test.run();
