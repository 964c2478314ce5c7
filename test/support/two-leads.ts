import * as assert from 'uvu/assert';
import { writeDecisions } from './exec-project.ts';
import { beginLed, type MachineRig, machineEnd, type RigMachine, startMachine } from './machine-rig.ts';
import type { TestRepo } from './repo.ts';
import { checkSharedHistory } from './shared-history.ts';
import { until } from './until.ts';

export interface TwoLeads {
  readonly rig: MachineRig;
  readonly old: RigMachine;
  readonly next: RigMachine;
  readonly session: string;
  /** Where main was. */
  readonly base: string;
}

export const tasksOf = (before: string) =>
  ['task-001', 'task-002'].map((id) => ({
    ...{ id, locks: [`src/${id}.txt`] },
    script: `mkdir -p src; echo ${id} > src/${id}.txt; ${before}`,
  }));

export const worktrees = ({ repo }: RigMachine): number => repo.git('worktree', 'list').split('\n').length - 1;

export const subjects = (remote: TestRepo, kind: string): readonly string[] =>
  remote.git('for-each-ref', `refs/blueflame/${kind}`) === ''
    ? []
    : remote.git('log', '--format=%s', `refs/blueflame/${kind}`).split('\n');

export const terms = ({ remote }: MachineRig): number =>
  subjects(remote, 'sessions').filter((line) => /led by/.test(line)).length;

/** The old one leads and is where it is to be; the next one has taken the lead from it, and says so at the remote. */
export async function twoLeads(
  rig: MachineRig,
  isThere: (session: string) => boolean | Promise<boolean>,
): Promise<TwoLeads> {
  const { remote, lead: old, other: next } = rig;
  const base = remote.git('rev-parse', 'main');
  const { session } = await beginLed(rig);
  await until('it is there', async () => old.child === null || (await isThere(session)));
  assert.is.not(old.child, null, old.said);
  writeDecisions(next.repo, { plan: ['approve'], changesets: ['approve'], session: ['stop'] });
  // The plan is known there.
  next.said = 'It takes over.\n';
  startMachine(next, null, ['--session', session, '--take-over']);
  await until('the lead passed on', () => terms(rig) === 2 || next.child === null);
  assert.is(terms(rig), 2, next.said);
  return { rig, old, next, session, base };
}

/** It ended by itself, said who leads and what to do now, and has no work that is nowhere but in a worktree. */
export async function stepsDown({ old, next }: TwoLeads): Promise<void> {
  await until('the old lead has ended', () => old.child === null);
  assert.is(old.ends.at(-1), 1, old.said);
  const last = old.said.slice(old.said.lastIndexOf('error:'));
  assert.match(last, /leads this session now, in term 2: it took over from this machine/, old.said);
  assert.match(last, /git flame work --join origin/);
  assert.not.match(last, /take-over/);
  assert.is(worktrees(old), 0, old.said);
  // It may have landed all there is meanwhile.
  assert.ok(next.child !== null || next.ends.at(-1) === 0, next.said);
}

/** Each task judged and landed once, by the one that leads. */
export async function landsOnce({ rig, next, session, base }: TwoLeads): Promise<void> {
  const { remote } = rig;
  await machineEnd(next);
  assert.is(next.ends.at(-1), 0, next.said);
  const history = checkSharedHistory(remote, session);
  assert.equal([history.problems, history.merged], [[], 2], next.said);
  assert.is(remote.git('rev-list', '--first-parent', '--count', `${base}..main`), '1', 'it landed once');
  assert.not.match(next.said, /git flame machines/, 'nobody is accused');
}
