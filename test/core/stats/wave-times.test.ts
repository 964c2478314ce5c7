import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { measureWaves } from '../../../lib/core/stats/wave-times.ts';

type Session = Parameters<typeof measureWaves>[0];

const minute = 60_000;
type Entry = readonly [minutes: number, subject: string];

const log = (entries: readonly Entry[]) =>
  entries.map(([minutes, subject]) => ({ at: new Date(minutes * minute).toISOString(), subject })).reverse();

function waves(wave: Session['wave'], state: Session['state'], ...entries: readonly Entry[]): readonly string[] {
  const session = { wave, state, created_at: new Date(0).toISOString() };
  return measureWaves(session, log(entries)).map(
    ({ wave: name, stands, took_ms: took, since }) =>
      `${name} ${stands} ${took / minute}${since === null ? '' : ` since ${since / minute}`}`,
  );
}

const cycle = [
  [0, 'session: started on main'],
  [2, 'session: a plan of 2 tasks is proposed'],
  [3, 'session: cycle 1 begins'],
  [3, 'task-001: pending -> claimed by worker-1a2b3c4d'],
  [9, 'session: wave validate, cycle 1'],
  [10, 'session: wave work, cycle 1'],
  [14, 'session: wave validate, cycle 1'],
  [15, 'session: wave merge, cycle 1'],
  [16, 'session: wave review, cycle 1'],
] as const;

test('DSK-1: a wave that comes again in its cycle counts in one sum, and the present one has its beginning', () => {
  assert.equal(waves('plan', 'active', [0, 'session: started on main']), [
    ...['plan now 0 since 0', 'work next 0', 'validate next 0', 'merge next 0', 'review next 0'],
  ]);
  assert.equal(waves('review', 'active', ...cycle), [
    ...['plan done 3', 'work done 10', 'validate done 2', 'merge done 1', 'review now 0 since 16'],
  ]);
});

test('a session that was stopped takes no more time, and one that has ended has been through all of it', () => {
  assert.equal(waves('review', 'stopped', ...cycle, [20, 'session: stopped']).at(-1), 'review now 4');
  assert.equal(waves('done', 'ended', ...cycle, [21, 'session: ended, all is landed']).slice(1), [
    ...['work done 10', 'validate done 2', 'merge done 1', 'review done 5'],
  ]);
});

test('the next cycle begins without the times of the last one: with its work, or with another plan', () => {
  const next = [...cycle, [20, 'session: cycle 2 begins']] as const;
  assert.equal(waves('work', 'active', ...next).slice(0, 2), ['plan done 0', 'work now 0 since 20']);
  const again = [...cycle, [20, 'session: sent back to the planner'], [22, 'session: cycle 2 begins']] as const;
  assert.equal(waves('work', 'active', ...again), [
    ...['plan done 2', 'work now 0 since 22', 'validate next 0', 'merge next 0', 'review next 0'],
  ]);
});

test.run();
