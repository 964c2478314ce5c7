import { isClaimedByPerson } from '../../core/schedule/claimable-tasks.ts';
import {
  chooseNextAction,
  listChangesetsOfCycle,
  listMergeableTasks,
  type SessionAction,
} from '../../core/schedule/next-action.ts';
import { canAnyTaskStart } from '../../core/schedule/select-ready.ts';
import type { FlameError } from '../../domain/flame-error.ts';
import type { SessionId } from '../../domain/ids.ts';
import type { CommandArgs, Io } from '../../domain/view-models/command.ts';
import { endSession, recordNextCycle } from '../../engine/end-session.ts';
import { askToAcceptReceived } from '../../engine/plan/accept-received.ts';
import { type SessionView, viewSession } from '../../engine/record-changes.ts';
import { resumeSession } from '../../engine/run-session.ts';
import { rememberSession } from '../../engine/session/remember-session.ts';
import { leaveOutConflictBlockedTasks } from '../../engine/stacking/block-on-conflict.ts';
import { readBaseTip } from '../../engine/start-point.ts';
import { withSessionLock } from '../context/session-lock.ts';
import { type CommandContext, withRunContext } from '../run-context/open-run-context.ts';
import { reportCommandEnd } from './continue-session.ts';
import { commandOfAction } from './next-command.ts';

interface WaveCommand {
  /** The actions of the loop this command performs. */
  readonly actions: readonly SessionAction['kind'][];
  /** Does the wave; resolves to the exit code. */
  perform(opened: CommandContext, session: SessionId): Promise<number>;
  /** Why the command failed where this wave wasn't due, for one that asked for more than the wave; null: it didn't. */
  readonly notDue?: ((view: SessionView) => FlameError) | null;
  /** Runs after the wave, due or not; resolves to the exit code where the wave's own is 0. */
  follow?(opened: CommandContext, session: SessionId): Promise<number>;
}

/**
 * Runs one wave of the open session as a command: the same parts the loop is made of. Ends with 0 and reports what is
 * next when this wave is not what the session needs now.
 */
export function runWave(args: CommandArgs, io: Io, wave: WaveCommand): Promise<number> {
  return withRunContext(args, io, async (opened) => {
    const session = opened.selected.require(await opened.store.snapshot()).id;
    if (args.globals.dryRun) return preview(opened, session, wave);
    return withSessionLock(opened, session, async () => {
      await resumeSession(opened.context, session);
      let action = await next(opened, session, wave);
      if (action.kind === 'accept') {
        await askToAcceptReceived(opened.context, session);
        action = await next(opened, session, wave);
      }
      if (action.kind === 'end-cycle' && wave.actions.includes('work')) {
        await recordNextCycle(opened.context, session, { kind: 'continue', where: 'command' });
        action = await next(opened, session, wave);
      }
      const isDue = wave.actions.includes(action.kind);
      if (!isDue && wave.notDue) throw wave.notDue(await viewSession(opened.context, session));
      const code = isDue ? await wave.perform(opened, session) : 0;
      const after = (await wave.follow?.(opened, session)) ?? 0;
      await finish(opened, session, { wave, wasDue: isDue });
      return code === 0 ? after : code;
    });
  });
}

async function finish(
  opened: CommandContext,
  session: SessionId,
  { wave, wasDue }: { readonly wave: WaveCommand; readonly wasDue: boolean },
): Promise<void> {
  const action = await next(opened, session, wave);
  await rememberSession(opened.context, session);
  // A person who runs single waves decides what is next: only an end is recorded here.
  if (action.kind === 'end' || action.kind === 'left-over') await endSession(opened.context, session, action.reason);
  const command = action.kind === 'wait' ? null : commandOfAction(action);
  await reportCommandEnd(opened, session, () => (command === null ? null : `git flame ${command}`));
  if (action.kind === 'wait') {
    const isOwn = action.tasks.every((task) => isClaimedByPerson(task, opened.context.gates.person));
    const who = isOwn ? 'You work on' : 'Another person works on';
    opened.output.info(`${who}: ${action.tasks.map((task) => task.id).join(', ')}.`);
    return;
  }
  if (!wasDue) opened.output.info(command === null ? 'There is nothing left to do.' : 'There was nothing to do here.');
}

async function preview(opened: CommandContext, session: SessionId, wave: WaveCommand): Promise<number> {
  const command = commandOfAction(await next(opened, session, wave));
  const text = command === null ? 'There is nothing to do now.' : `Next would be: git flame ${command}`;
  opened.output.result(text);
  opened.output.json({ next: command });
  return 0;
}

/** A wave asked for by name is done with what there is, also while other tasks are not worked on yet. */
async function next(opened: CommandContext, id: SessionId, wave: WaveCommand): Promise<SessionAction> {
  const view = await viewSession(opened.context, id);
  const action = chooseNextAction({
    ...view,
    maxCycles: opened.config.limits.max_wave_cycles,
    isWindingDown: opened.context.gracefulStop.isRequested() || !wave.actions.includes('work'),
    canStart: (all) =>
      canAnyTaskStart(leaveOutConflictBlockedTasks(opened.context, all), opened.config.concurrency.development),
  });
  // A changeset decided just now may have to be checked again; those that wait are decided anyway.
  const isBefore = action.kind === 'validate' && wave.actions.includes('review');
  if (isBefore && listChangesetsOfCycle(view.session).some(({ state }) => state === 'waiting'))
    return { kind: 'review' };
  const isLate = action.kind === 'review' && wave.actions.includes('merge');
  return isLate && (await hasLate(opened.context, view)) ? { kind: 'merge' } : action;
}

/**
 * True if there is something to build beside what waits for review: tasks passed that can still join it in changesets
 * of their own, or the base moved, and with that all of it is built again.
 */
async function hasLate(context: CommandContext['context'], { session, tasks }: SessionView): Promise<boolean> {
  if (listMergeableTasks(tasks, listChangesetsOfCycle(session)).length > 0) return true;
  return (await readBaseTip(context, session)) !== session.base_commit;
}
