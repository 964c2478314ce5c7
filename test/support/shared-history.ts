import type { TestRepo } from './repo.ts';

interface TaskNote {
  readonly id: string;
  readonly session: string;
  readonly status: string;
  readonly agent_id: string | null;
  readonly claimed_host: string | null;
  readonly claim?: number;
  readonly commit: string | null;
}

interface Step extends TaskNote {
  readonly at: string;
}

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
 * up, no work lost that was accepted, each task landed once and in the base.
 */
export function checkSharedHistory(remote: TestRepo, session: string, base = 'main'): SharedHistory {
  const problems: string[] = [];
  const doneBy = new Map<string, number>();
  let [merged, claims] = [0, 0];
  for (const [id, steps] of stepsOf(remote, session)) {
    const say = (step: Step, what: string): void =>
      void problems.push(`${id} at ${step.at.slice(0, 10)}: ${what}`);
    let landed = 0;
    for (const [index, step] of steps.entries()) {
      const before = steps[index - 1];
      const [was, is] = [before?.claim ?? 0, step.claim ?? 0];
      const isClaimed = before !== undefined && before.status !== 'claimed' && step.status === 'claimed';
      if (is < was) say(step, `its claims went from ${was} back to ${is}`);
      if (isClaimed && is !== was + 1) say(step, `claim ${is} follows claim ${was}`);
      if (!isClaimed && is !== was)
        say(step, `claim ${is} came without being claimed (${before?.status} -> ${step.status})`);
      if (before?.status === 'claimed' && step.status === 'claimed' && before.agent_id !== step.agent_id)
        say(step, `${step.agent_id} holds the claim of ${before.agent_id}`);
      if (step.status === 'done' && before?.status === 'claimed' && step.agent_id !== before.agent_id)
        say(step, `${step.agent_id} finished what ${before.agent_id} held`);
      if (step.status === 'done' && before !== undefined && !['claimed', 'done'].includes(before.status))
        say(step, `done after ${before.status}`);
      if (step.status === 'merged' && before?.status !== 'merged') {
        landed += 1;
        if (before?.status !== 'done' || before.commit !== step.commit)
          say(step, 'what landed was not what was accepted');
      }
      if (isClaimed) claims += 1;
      if (step.status === 'done' && before?.status === 'claimed')
        doneBy.set(step.claimed_host ?? '', (doneBy.get(step.claimed_host ?? '') ?? 0) + 1);
    }
    const last = steps.at(-1);
    if (last === undefined) continue;
    if (landed > 1) say(last, `landed ${landed} times`);
    if (last.status !== 'merged') say(last, `ended as ${last.status}`);
    else if (!isIn(remote, last.commit ?? '', base)) say(last, `${base} does not hold ${last.commit}`);
    else merged += 1;
  }
  const signs = remote.git('for-each-ref', 'refs/blueflame/machines/');
  if (signs !== '') problems.push(`signs of life are left: ${signs}`);
  const keeping = remote.git(
    'for-each-ref',
    '--format=%(refname)',
    'refs/blueflame/kept/',
    'refs/blueflame/commits/',
  );
  if (keeping !== `refs/blueflame/kept/${session}`)
    problems.push(`commits are kept by ${keeping || 'nothing'}`);
  return { problems, doneBy, merged, claims };
}

function isIn(remote: TestRepo, commit: string, base: string): boolean {
  try {
    remote.git('merge-base', '--is-ancestor', commit, `refs/heads/${base}`);
    return true;
  } catch {
    return false;
  }
}

/** Each version of each task's note, oldest first; what stays the same but for its times is one. */
function stepsOf(remote: TestRepo, session: string): ReadonlyMap<string, readonly Step[]> {
  const ref = 'refs/blueflame/tasks';
  const keys = remote
    .git('ls-tree', `${ref}:anchors/${session}/`)
    .split('\n')
    .map((row) => row.split(/\s+/))
    .map(([, , key = '', id = '']) => ({ id, path: `${key.slice(0, 2)}/${key.slice(2)}` }));
  return new Map(
    keys.map(({ id, path }) => {
      const commits = remote
        .git('log', '--reverse', '--topo-order', '--format=%H', ref, '--', path)
        .split('\n');
      const steps = commits.map((at): Step => ({ ...JSON.parse(remote.git('show', `${at}:${path}`)), at }));
      return [id, steps];
    }),
  );
}
