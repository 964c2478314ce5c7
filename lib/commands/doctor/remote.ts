import { randomBytes } from 'node:crypto';
import type { Config } from '../../domain/config/config.ts';
import { FlameError } from '../../domain/flame-error.ts';
import { type Finding, finding } from '../../domain/shown/finding.ts';
import type { Io } from '../../domain/shown/io.ts';
import { listMachines } from '../../domain/shown/machines.ts';
import { type GitContext, gitText } from '../../git/process/run-git.ts';
import { readMachines } from '../../store/shared/read-machines.ts';
import { pickRemote } from '../../store/sync/pick-remote.ts';
import type { PushSpec } from '../../store/sync/remote.ts';
import { forgetRefs, machinesRoot, pushState, remoteTips } from '../../store/sync/remote.ts';
import { formatCount } from '../../util/format-amount.ts';
import { gitHere } from '../open/git-here.ts';
import type { Reading } from '../open/read-state.ts';

const area = { area: 'state', isRequired: false } as const;
// A clock that is further ahead is worth a word; nothing is decided by it.
const clockSlackMs = 60_000;

/**
 * Whether machines can share a session through a remote, each part tried there with refs that are taken away again: refs
 * outside heads and tags, several in one push or none, a stale push refused, deletion; how long a push takes beside the
 * lease; and who is there. `name`: as it was typed, '' where none was.
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
    return [asMissing('remote', error)];
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
    if (made.kind === 'rejected') return [refused(remote, made.reason)];
    const stale = await pushState(context, remote, specs(second, second), { isAllOrNothing: true });
    await forgetRefs(context, remote, new Map(refs.map((ref) => [ref, null])));
    const left = await remoteTips(context, remote, `${root}/*`);
    return [
      proven('remote-refs', `${remote} takes refs outside heads and tags, several in one push or none.`),
      stale.kind === 'rejected'
        ? proven(
            'remote-claims',
            `${remote} refuses a push that is not onto what it has: a claim has one winner.`,
          )
        : weak(
            'remote-claims',
            `${remote} took a push that was not onto what it has: two could win a claim.`,
            'missing',
          ),
      left.length === 0
        ? proven('remote-deletes', `${remote} deletes refs of machines that left.`)
        : weak(
            'remote-deletes',
            `${remote} deletes no refs: those of machines that left stay, and do no harm.`,
          ),
      timeOf(remote, tookMs, config),
    ];
  } catch (error) {
    return [asMissing('remote-refs', error)];
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
  if (4 * tookMs < renew) return proven('remote-time', words);
  return weak(
    'remote-time',
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
    return [proven('remote-machines', `No machine works on a session at ${remote} now.`)];
  const there = `${formatCount(machines.length, 'machine')} of ${found.session.id} at ${remote}: ${machines.map(({ machine }) => machine).join(', ')}.`;
  const ahead = machines.filter(({ last_sign_at: at }) => Date.parse(at ?? '') - Date.now() > clockSlackMs);
  const other = machines.filter(({ config }) => config === 'differs');
  return [
    proven('remote-machines', there),
    ...ahead.map(({ machine, last_sign_at: at }) =>
      weak(
        'remote-clock',
        `By its clock ${machine} gave its last sign of life at ${at}, which is still to come here: times shown of it are wrong, and nothing else.`,
      ),
    ),
    ...other.map(({ machine }) =>
      weak('remote-config', `${machine} works with another configuration than the session's.`),
    ),
  ];
}

function proven(check: string, message: string): Finding {
  return finding({ ...area, check, result: 'proven', message });
}

function weak(check: string, message: string, result: 'weaker' | 'missing' = 'weaker'): Finding {
  return finding({ ...area, check, result, message });
}

function refused(remote: string, reason: string): Finding {
  return weak('remote-refs', `${remote} does not take refs of machines: ${reason}.`, 'missing');
}

function asMissing(check: string, error: unknown): Finding {
  if (!(error instanceof FlameError)) throw error;
  const { message, lines: details, hints } = error;
  return finding({ ...area, check, result: 'missing', message, details, hints });
}
