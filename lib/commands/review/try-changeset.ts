import type { GitPort } from '../../domain/ports/git-port.ts';
import type { TryWorktree } from '../../domain/ports/git-try-worktrees.ts';
import type { CommandArgs, Io } from '../../domain/view-models/command.ts';
import type { RunEventBody } from '../../domain/view-models/run-event.ts';
import { viewSession } from '../../engine/record-changes.ts';
import {
  describeOwnWork,
  removeTriedChangeset,
  selectChangesetToTry,
  selectTryWorktree,
  type TriedChangeset,
  tryChangeset,
} from '../../engine/review/try-changeset.ts';
import type { Output } from '../../ui/terminal/output.ts';
import { toPrintableLine } from '../../ui/text/printable-text.ts';
import { shellQuote } from '../../util/shell-quote.ts';
import { shortId } from '../../util/short-names.ts';
import { withRepositoryState } from '../context/open-read-context.ts';
import { runUnderCloneLock } from '../context/session-lock.ts';
import { withRunContext } from '../run-context/open-run-context.ts';

/**
 * `git flame review --try [CHANGESET]`: the changeset in a worktree of the person's own. Its result is the command that
 * leads there. 1 where its setup failed. A run may wait at its question meanwhile.
 */
export function runTry(args: CommandArgs<'review'>, io: Io): Promise<number> {
  return withRunContext(args, io, async ({ context, git, store, output, selected }) => {
    const { id } = selected.require(await store.snapshot());
    const { session } = await viewSession(context, id);
    const changeset = selectChangesetToTry(session, args.options.changeset);
    if (args.globals.dryRun) {
      output.json({ session: id, changeset: changeset.id, commit: changeset.commit });
      output.result(`Would check out changeset ${changeset.group} at ${shortId(changeset.commit)} in a worktree.`);
      return 0;
    }
    // With --json it is one document.
    const events = { emit: (event: RunEventBody) => void (isWarning(event) && output.warn(event.message)) };
    const quiet = output.isJson ? { ...context, events } : context;
    const tried = await runUnderCloneLock(lockOf(git, context.signal), () => tryChangeset(quiet, id, changeset));
    report(output, tried);
    const { teardown } = context.config.project;
    if (teardown.length > 0)
      output.info(`project.teardown is yours to run there before that: ${teardown.map(toPrintableLine).join('; ')}`);
    return tried.failure === null ? 0 : 1;
  });
}

function isWarning(event: RunEventBody): event is Extract<RunEventBody, { event: 'notice' }> {
  return event.event === 'notice' && event.level === 'warning';
}

function report(output: Output, { worktree, state, failure, keptBy }: TriedChangeset): void {
  const { path, group, changeset, commit, session } = worktree;
  const command = `cd ${shellQuote(path)}`;
  const done = `git flame review --done ${shellQuote(group)}`;
  output.json({ session, changeset, group, commit, worktree: path, state, command, done, failure, kept_by: keptBy });
  const at = `Changeset ${toPrintableLine(group)} is at ${shortId(commit)} in ${path}`;
  if (keptBy !== null)
    output.warn(`${at}, which is not its newest version: it holds ${describeOwnWork(keptBy)}, and stays as it is.`);
  else if (state === 'there') output.info(`${at}. It was there already.`);
  else output.info(`${at}.`);
  if (failure !== null) {
    output.warn(`${failure.message} The worktree stays, without what that command makes.`);
    for (const line of failure.details) output.info(`  ${toPrintableLine(line)}`);
  }
  output.result(command);
  output.hint(done);
}

/** `git flame review --done [CHANGESET]`: removes the worktree, unless something of the person's is nowhere else. */
export function runDone(args: CommandArgs<'review'>, io: Io): Promise<number> {
  return withRepositoryState(args, io, async ({ git, output }) => {
    const select = async (): Promise<TryWorktree> =>
      selectTryWorktree(await git.tryWorktrees(), args.options.changeset);
    const remove = async (): Promise<TryWorktree> => {
      // A removal that was cut short is finished first.
      await git.removeUnfinishedCells();
      const one = await select();
      await removeTriedChangeset({ git }, one);
      return one;
    };
    const signal = io.signal ?? new AbortController().signal;
    const worktree = args.globals.dryRun ? await select() : await runUnderCloneLock(lockOf(git, signal), remove);
    const { path, group, changeset, session } = worktree;
    output.json({ session, changeset, group, worktree: path, removed: !args.globals.dryRun });
    output.result(`${args.globals.dryRun ? 'Would remove' : 'Removed'} ${path}.`);
    const root = git.repository.mainWorkTree;
    if (isIn(io.cwd, worktree) && root !== null) output.hint(`cd ${shellQuote(root)}`);
    return 0;
  });
}

/** A second command waits, and finds what the first one made or removed. */
function lockOf(
  { repository }: Pick<GitPort, 'repository'>,
  signal: AbortSignal,
): Parameters<typeof runUnderCloneLock>[0] {
  return { commonDir: repository.commonDir, name: 'try', signal };
}

function isIn(cwd: string, { path }: TryWorktree): boolean {
  return cwd === path || cwd.startsWith(`${path}/`);
}
