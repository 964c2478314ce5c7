import { isHeld } from '../../core/schedule/next-action.ts';
import { FlameError } from '../../domain/flame-error.ts';
import type { Io } from '../../domain/shown/command.ts';
import type { Ahead } from '../../domain/shown/status.ts';
import type { Session } from '../../domain/state/session.ts';
import type { Task } from '../../domain/state/task.ts';
import type { LookoutParts } from '../../engine/radar/lookout.ts';
import type { Reading } from './read-state.ts';
import { triedBefore } from './tried-before.ts';

/** Limits of a read-only command's own trials; results of a run's trials are read. */
const lookMs = 1_000;
const mostTrials = 40;

/** Conflicts ahead in a session; undefined where there are none and nothing was left out. */
export async function readAhead(
  reading: Reading,
  io: Io,
  { session, tasks }: { readonly session: Session; readonly tasks: readonly Task[] },
): Promise<Ahead | undefined> {
  if (session.state === 'ended') return undefined;
  if (!tasks.some(({ status }) => status === 'done' || status === 'claimed')) return undefined;
  const { git } = reading;
  // Loaded only for a session with work in it.
  const { createLookout } = await import('../../engine/radar/lookout.ts');
  const lookout = createLookout({
    git,
    now: () => new Date(),
    tried: triedBefore(git.repository.commonDir),
    worktreeOf: await worktreesByHand(reading, io, tasks),
  });
  const time = AbortSignal.timeout(lookMs);
  const signal = io.signal === undefined ? time : AbortSignal.any([io.signal, time]);
  const ahead = await lookout.look({ session, tasks }, { trials: mostTrials, signal });
  return isEmpty(ahead) ? undefined : ahead;
}

/** The part of it that is about one task; what was left out may be. */
export function aheadOf(ahead: Ahead | undefined, task: string): Ahead | undefined {
  if (ahead === undefined) return undefined;
  const isAbout = ({ one, other }: Ahead['found'][number]): boolean =>
    one.task === task || ('task' in other && other.task === task);
  const own = { ...ahead, found: ahead.found.filter(isAbout) };
  return isEmpty(own) ? undefined : own;
}

function isEmpty({ found, untried_pairs, unseen_tasks }: Ahead): boolean {
  return found.length + untried_pairs + unseen_tasks === 0;
}

/** Loads the configuration only where a person works on something. Where it can't be read, the branches are used. */
async function worktreesByHand(
  { git, configFile }: Pick<Reading, 'git' | 'configFile'>,
  io: Io,
  tasks: readonly Task[],
): Promise<LookoutParts['worktreeOf']> {
  const root = git.repository.mainWorkTree;
  if (root === null || !tasks.some((task) => isHeld(task) && task.worktree !== null)) return () => null;
  const { readConfig } = await import('./read-config.ts');
  const { readAsked } = await import('./repository-trust.ts');
  const { handWorktree } = await import('../../engine/by-hand/hand-task.ts');
  try {
    const { config } = readAsked(await readConfig(root, configFile), io, { git, root }).content;
    return (task) => handWorktree({ root, config }, task);
  } catch (error) {
    if (!(error instanceof FlameError)) throw error;
    return () => null;
  }
}
