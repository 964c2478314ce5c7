import type { LandedChangeset } from '../core/changesets/changeset-decision.ts';
import type { LandingUndoOptions } from '../core/task/take-back-task.ts';
import { FlameError } from '../domain/flame-error.ts';
import type { SessionId } from '../domain/ids.ts';
import { contradictingOptionsError, nothingToKeepError } from '../domain/input-errors.ts';
import { findLandingBranch } from '../domain/state/session-facts.ts';
import type { CommandArgs, Io } from '../domain/view-models/command.ts';
import { planLandingUndo } from '../engine/review/plan-landing-undo.ts';
import { type LandingUndoResult, takeBackLanding } from '../engine/review/take-back-landing.ts';
import { resumeSession } from '../engine/run-session.ts';
import { hasTerminal } from '../ui/questions/terminal-gates.ts';
import { toPrintableLine } from '../ui/text/printable-text.ts';
import { shortId } from '../util/short-names.ts';
import { requireTypedByPerson } from './context/require-typed-by-person.ts';
import { runWhereSessionIsLed } from './machines/lead-shared-session.ts';
import { type CommandContext, withRunContext } from './run-context/open-run-context.ts';

/** `git flame undo [CHANGESET]`: takes a landing back, with its tasks and its review. */
export function run(args: CommandArgs<'undo'>, io: Io): Promise<number> {
  const [name = null] = args.positionals;
  const given = afterUndo(args);
  return withRunContext(args, io, async (opened) => {
    const { store, output } = opened;
    const selected = opened.selected.require(await store.snapshot());
    const session = selected.id;
    if (args.globals.dryRun) return preview(opened, session, name);
    requireTypedByPerson('Which landing is taken back', opened.git.repository, io);
    const after = given === null ? await askAfterUndo(opened, io, session, name) : { ...given, changeset: name };
    if (after === null) {
      output.info('Nothing was changed.');
      return 1;
    }
    return runWhereSessionIsLed(opened, io, selected, async ({ context }) => {
      await resumeSession(context, session);
      const undone = await takeBackLanding(context, session, after);
      output.result(describe(undone, after));
      const task = undone.how === 'revert' ? { task: undone.task.id } : {};
      const to = undone.how === 'moved-back' ? { to: undone.to } : {};
      const { changeset, commit, branch, how } = undone;
      output.json({ session, changeset, commit, branch, how, ...to, ...task });
      if (undone.how === 'revert' || after.follow === 'requeue') output.hint('git flame run');
      return 0;
    });
  });
}

async function preview(
  { context, output }: CommandContext,
  session: Parameters<typeof planLandingUndo>[1],
  name: string | null,
): Promise<number> {
  const { session: found, changeset, above, way } = await planLandingUndo(context, session, name);
  const branch = toPrintableLine(findLandingBranch(found));
  const commit = changeset.landed_commit;
  const { how } = way;
  const why = way.how === 'revert' ? way.why : null;
  const text = {
    'was-gone': `${branch} no longer holds ${shortId(commit)}: only the tasks of ${changeset.id} would be taken back.`,
    'moved-back': `${branch} would move back from ${shortId(commit)}, the landing of ${changeset.id}.`,
    revert: `${changeset.id} would be reverted by a new commit, which you review: ${toPrintableLine(why ?? '')}.`,
  }[how];
  const standing =
    above.length === 0 ? '' : `\nRebased on what remains, and sent back only on a conflict: ${above.join(', ')}`;
  output.result(`${text}\nTasks: ${changeset.tasks.join(', ')}${standing}`);
  output.json({ session, changeset: changeset.id, commit, branch, how, why, tasks: changeset.tasks, above });
  return 0;
}

function describe(undone: LandingUndoResult, { follow }: LandingUndoOptions): string {
  const { changeset, commit } = undone;
  const branch = toPrintableLine(undone.branch);
  const tasks = follow === 'requeue' ? 'its tasks are sent back' : 'its tasks are dropped';
  switch (undone.how) {
    case 'moved-back':
      return `${changeset} is taken back: ${branch} is at ${shortId(undone.to)} again, and ${tasks}.`;
    case 'was-gone':
      return `${branch} no longer held ${shortId(commit)}. ${changeset} is taken back, and ${tasks}.`;
    case 'revert':
      return `${toPrintableLine(undone.why)}, so ${undone.task.id} reverts ${changeset}: once that has landed, ${tasks}.`;
  }
}

/** The tasks' state after an undo; null: not given. Throws FlameErrors `contradiction`, `nothing-to-keep`. */
function afterUndo({ options: { requeue, drop, keepWork: keep } }: CommandArgs<'undo'>): LandingUndoOptions | null {
  if (requeue !== null && drop !== null)
    throw contradictingOptionsError(
      '--requeue and --drop exclude each other: the tasks are sent back or given up.',
      hints,
    );
  if (keep && requeue === null)
    throw nothingToKeepError('--keep-work needs --requeue: the next attempts then start from this work.', hints);
  if (requeue !== null) return { follow: 'requeue', notes: requeue, keep };
  return drop === null ? null : { follow: 'drop', notes: drop, keep: false };
}

/** null: the person left all as it is. Throws FlameError `undo-without-decision` where none can be asked. */
async function askAfterUndo(
  { context, output, commandLine }: CommandContext,
  io: Io,
  session: SessionId,
  name: string | null,
): Promise<(LandingUndoOptions & { readonly changeset: string }) | null> {
  const { id, tasks } = (await planLandingUndo(context, session, name)).changeset;
  const onEnd = (): FlameError => undecided({ id, tasks });
  if (commandLine.decisionsFile !== null || !hasTerminal(io)) throw onEnd();
  const { askWhatFollowsUndo } = await import('../ui/questions/ask-in-command.ts');
  const follows = await askWhatFollowsUndo(io, { changeset: id, tasks, style: output.errorStyle, onEnd });
  return follows === null ? null : { ...follows, changeset: id };
}

const hints = ['git flame undo --requeue REASON', 'git flame undo -h'];

function undecided({ id, tasks }: Pick<LandedChangeset, 'id' | 'tasks'>): FlameError {
  return new FlameError({
    kind: 'usage',
    code: 'undo-without-decision',
    message: `Choose what happens to ${tasks.join(', ')} when ${id} is taken back.`,
    hints: [`git flame undo ${id} --requeue REASON`, `git flame undo ${id} --drop REASON`],
  });
}
