import type { TestRepo } from './repo.ts';
import { judgeLead, judgeTask, type SessionStep, type TaskStep } from './shared-steps.ts';

export interface SharedHistory {
  /** What broke a rule; nothing in a sound history. */
  readonly problems: readonly string[];
  /** How many tasks were accepted from each machine. */
  readonly doneBy: ReadonlyMap<string, number>;
  readonly merged: number;
  readonly claims: number;
}

/**
 * Reads what the refs of a remote went through, with stock git alone, and checks what must hold however machines died,
 * slept or were cut off: one holder a claim, claims counted one by one, no result and no landing by one that was given
 * up, no work lost that was accepted, each task landed once and in the base, and nothing of the machines left behind.
 */
export function checkSharedHistory(remote: TestRepo, session: string, base = 'main'): SharedHistory {
  const doneBy = new Map<string, number>();
  let [merged, claims] = [0, 0];
  const problems = judgeLead(stepsOf<SessionStep>(remote, 'sessions', session).get(session) ?? []);
  for (const [id, steps] of stepsOf<TaskStep>(remote, 'tasks', session)) {
    const judged = judgeTask(id, steps);
    claims += judged.claims;
    for (const machine of judged.doneBy) doneBy.set(machine, (doneBy.get(machine) ?? 0) + 1);
    const found = [...judged.problems, ...lostOf(remote, id, { steps, base })];
    problems.push(...found);
    if (steps.at(-1)?.status === 'merged') merged += 1;
  }
  return { problems: [...problems, ...leftBehind(remote, session)], doneBy, merged, claims };
}

/** Accepted work that the remote has no more, and landed work that is not in the base. */
function lostOf(
  remote: TestRepo,
  id: string,
  { steps, base }: { readonly steps: readonly TaskStep[]; readonly base: string },
): readonly string[] {
  const accepted = steps.flatMap(({ status, commit }) => (status === 'done' && commit !== null ? [commit] : []));
  const lost = [...new Set(accepted)].filter((commit) => !says(remote, 'cat-file', '-e', `${commit}^{commit}`));
  const last = steps.at(-1);
  const isMissing =
    last?.status === 'merged' && !says(remote, 'merge-base', '--is-ancestor', last.commit ?? '', `refs/heads/${base}`);
  return [
    ...lost.map((commit) => `${id}: accepted ${commit} is lost`),
    ...(isMissing ? [`${id}: ${base} does not hold ${last.commit}`] : []),
  ];
}

function leftBehind(remote: TestRepo, session: string): readonly string[] {
  const signs = remote.git('for-each-ref', 'refs/blueflame/machines/');
  const keeping = remote.git('for-each-ref', '--format=%(refname)', 'refs/blueflame/kept/');
  return [
    ...(signs === '' ? [] : [`signs of life are left: ${signs}`]),
    ...(keeping === `refs/blueflame/kept/${session}` ? [] : [`commits are kept by ${keeping || 'nothing'}`]),
  ];
}

function says(remote: TestRepo, ...args: readonly string[]): boolean {
  try {
    remote.git(...args);
    return true;
  } catch {
    return false;
  }
}

/** Each version of each note of a session, oldest first, by the task's id, or the session's own. */
function stepsOf<Step>(
  remote: TestRepo,
  kind: 'sessions' | 'tasks',
  session: string,
): ReadonlyMap<string, readonly Step[]> {
  const ref = `refs/blueflame/${kind}`;
  const place = kind === 'tasks' ? `anchors/${session}/` : `anchors/${session}`;
  const rows = remote.git('ls-tree', ref, '--', place).split('\n').filter(Boolean);
  return new Map(
    rows.map((row) => {
      const [, , key = '', name = ''] = row.split(/\s+/);
      const path = `${key.slice(0, 2)}/${key.slice(2)}`;
      const commits = remote.git('log', '--reverse', '--topo-order', '--format=%H', ref, '--', path);
      const steps = commits.split('\n').map((at) => ({ ...JSON.parse(remote.git('show', `${at}:${path}`)), at }));
      return [name.slice(name.lastIndexOf('/') + 1), steps];
    }),
  );
}
