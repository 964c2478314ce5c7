import { randomBytes } from 'node:crypto';
import type { Config } from '../../domain/config/config.ts';
import type { Io } from '../../domain/shown/command.ts';
import { checkOf, type Finding } from '../../domain/shown/finding.ts';
import { listMachines } from '../../domain/shown/machines.ts';
import { type GitContext, gitText } from '../../git/process/run-git.ts';
import { readMachines } from '../../store/shared/machine-ref.ts';
import {
  forgetRefs,
  machinesRoot,
  type PushSpec,
  pickRemote,
  pushState,
  remoteTips,
} from '../../store/sync/remote.ts';
import { formatCount } from '../../util/format-figures.ts';
import { gitHere } from '../open/git-here.ts';
import type { Reading } from '../open/read-state.ts';

const check = (name: string) => checkOf('state', name, false);
// A clock further ahead is reported; it decides nothing.
const clockSlackMs = 60_000;

/**
 * Examines whether machines can share a session through a remote. Each part is tried there with refs that are deleted
 * again: refs outside heads and tags, several in one push or none, a stale push refused, deletion; how long a push
 * takes beside the lease; and who is there. `name`: as it was typed, '' where none was.
 */
export async function examineRemote(
  { git, wishes }: Pick<Reading, 'git' | 'wishes'>,
  io: Io,
  { name, config }: { readonly name: string; readonly config: Config },
): Promise<readonly Finding[]> {
  const context = gitHere(git, io);
  try {
    const remote = await pickRemote(context, name === '' ? null : name);
    const tried = wishes.isDry ? [] : await tryPushes(context, remote, config);
    return [...tried, ...(await whoIsThere(git, context, remote))];
  } catch (error) {
    return [check('remote').failed(error)];
  }
}

async function tryPushes(context: GitContext, remote: string, config: Config): Promise<readonly Finding[]> {
  const root = `${machinesRoot}doctor-${randomBytes(4).toString('hex')}`;
  const refs = [`${root}/a`, `${root}/b`];
  const [first, second] = [await emptyCommit(context, 'one'), await emptyCommit(context, 'two')];
  const specs = (from: string, expected: string | null): readonly PushSpec[] =>
    refs.map((to) => ({ from, to, expected }));
  const began = performance.now();
  try {
    const made = await pushState(context, remote, specs(first, null), { isAllOrNothing: true });
    const tookMs = performance.now() - began;
    if (made.kind === 'rejected')
      return [check('remote-refs').missing(`${remote} does not take refs of machines: ${made.reason}.`)];
    const stale = await pushState(context, remote, specs(second, second), { isAllOrNothing: true });
    await forgetRefs(context, remote, new Map(refs.map((ref) => [ref, null])));
    const left = await remoteTips(context, remote, `${root}/*`);
    const [claims, deletes] = [check('remote-claims'), check('remote-deletes')];
    return [
      check('remote-refs').proven(
        `${remote} takes refs outside heads and tags, several in one push or none.`,
      ),
      stale.kind === 'rejected'
        ? claims.proven(`${remote} refuses a push that is not onto what it has: a claim has one winner.`)
        : claims.missing(`${remote} took a push that was not onto what it has: two could win a claim.`),
      left.length === 0
        ? deletes.proven(`${remote} deletes refs of machines that left.`)
        : deletes.weaker(`${remote} deletes no refs: those of machines that left stay, and do no harm.`),
      timeOf(remote, tookMs, config),
    ];
  } catch (error) {
    return [check('remote-refs').failed(error)];
  }
}

/** A commit without files, that says nothing of the repository. */
async function emptyCommit(context: GitContext, text: string): Promise<string> {
  const tree = await gitText(context, ['mktree'], { input: '' });
  return gitText(context, ['commit-tree', tree, '-m', `git flame doctor: ${text}`]);
}

function timeOf(remote: string, tookMs: number, { machines }: Config): Finding {
  const { lease, renew } = machines;
  const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;
  const words = `A push to ${remote} took ${seconds(tookMs)}. A sign of life is due every ${seconds(renew)}, and a machine that gives none for ${seconds(lease)} is given up (machines.renew, machines.lease); no clock is compared with another's.`;
  // Look and push, and one lost race.
  if (4 * tookMs < renew) return check('remote-time').proven(words);
  return check('remote-time').weaker(
    `${words} That is too short for this remote: machines would be given up that are well.`,
  );
}

async function whoIsThere(
  git: Reading['git'],
  context: GitContext,
  remote: string,
): Promise<readonly Finding[]> {
  const { commonDir, objectFormat } = git.repository;
  const found = await readMachines({ context, commonDir, objectFormat }, { remote, session: null });
  const machines = listMachines(found);
  if (found.session === null || machines.length === 0)
    return [check('remote-machines').proven(`No machine works on a session at ${remote} now.`)];
  const there = `${formatCount(machines.length, 'machine')} of ${found.session.id} at ${remote}: ${machines.map(({ machine }) => machine).join(', ')}.`;
  const ahead = machines.filter(({ last_sign_at: at }) => Date.parse(at ?? '') - Date.now() > clockSlackMs);
  const other = machines.filter(({ config }) => config === 'differs');
  return [
    check('remote-machines').proven(there),
    ...ahead.map(({ machine, last_sign_at: at }) =>
      check('remote-clock').weaker(
        `By its clock ${machine} gave its last sign of life at ${at}, which is still to come here: times shown of it are wrong, and nothing else.`,
      ),
    ),
    ...other.map(({ machine }) =>
      check('remote-config').weaker(`${machine} works with another configuration than the session's.`),
    ),
  ];
}
