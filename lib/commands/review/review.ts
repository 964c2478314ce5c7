import { listChangesetsOfCycle } from '../../core/schedule/next-action.ts';
import { FlameError } from '../../domain/flame-error.ts';
import type { SessionId } from '../../domain/ids.ts';
import { contradictingOptionsError, noChangesetError, nothingToKeepError } from '../../domain/input-errors.ts';
import type { ChangesetDecision, ChangesetQuestion } from '../../domain/ports/changeset-question.ts';
import type { DecisionWithPlace, Gates } from '../../domain/ports/gates.ts';
import type { Changeset } from '../../domain/state/changeset.ts';
import type { CommandArgs, CommandOptions, Io } from '../../domain/view-models/command.ts';
import { viewSession } from '../../engine/record-changes.ts';
import { requireSeenCommit } from '../../engine/review/record-changeset-decision.ts';
import { landingRefusedError } from '../../engine/review/refuse-landing.ts';
import { nothingToDecideError, runReviewWave } from '../../engine/review/review-wave.ts';
import { undoChangesetDecision } from '../../engine/review/undo-changeset-decision.ts';
import { resumeSession } from '../../engine/run-session.ts';
import { renderRejectionEffects } from '../../ui/render/changeset-lines.ts';
import { requireTypedByPerson } from '../context/require-typed-by-person.ts';
import { withTrustedDecisions } from '../context/with-trusted-decisions.ts';
import { runWhereSessionIsLed } from '../machines/lead-shared-session.ts';
import { type CommandContext, withRunContext } from '../run-context/open-run-context.ts';
import { reportCommandEnd } from '../run-loop/continue-session.ts';
import { runWave } from '../run-loop/run-wave.ts';
import { prepareSessionPullRequest } from '../run-loop/session-pull-request.ts';
import { exportReview } from './export-review.ts';

/** `git flame review`: each changeset is decided, and what was approved lands. */
export function run(typed: CommandArgs<'review'>, io: Io): Promise<number> {
  const args = withNamedChangeset(typed);
  const decision = decisionOf(args.options);
  if (args.options.try || args.options.done) return tryOrDone(args, io, decision);
  const { export: target, takeBack: undone } = args.options;
  if (target !== null) return withTrustedDecisions(args, io, (reading) => exportReview(args, io, reading, target));
  if (undone !== null) return takeBackDecision(args, io, undone);
  return runWave(args, io, {
    actions: ['review'],
    notDue:
      decision === null && args.options.changeset === null
        ? null
        : ({ session }) => nothingToDecideError(args.options.changeset, listChangesetsOfCycle(session)),
    perform: async ({ context, shown, output, git }, session) => {
      if (decision !== null) requireTypedByPerson('What happens to a changeset', git.repository, io);
      const { only, gates } = await gatesOf(decision, args, { context, shown, output }, session);
      const { refused } = await runReviewWave({ ...context, gates }, session, only);
      if (refused > 0) throw landingRefusedError(refused);
      return 0;
    },
    follow: (opened, session) => prepareSessionPullRequest(opened, io, session),
  });
}

/** The changeset may be named as the operand, too. */
function withNamedChangeset(args: CommandArgs<'review'>): CommandArgs<'review'> {
  const [name] = args.positionals;
  const { changeset } = args.options;
  if (name === undefined || name === changeset) return args;
  if (changeset !== null)
    throw contradictingOptionsError(`Two changesets are named: ${name} and ${changeset}.`, ['git flame review -h']);
  return { ...args, options: { ...args.options, changeset: name } };
}

async function tryOrDone(args: CommandArgs<'review'>, io: Io, decision: ChangesetDecision | null): Promise<number> {
  const { try: isTried, done, export: target, takeBack } = args.options;
  if (decision !== null || target !== null || takeBack !== null || (isTried && done))
    throw contradictingOptionsError('--try and --done decide nothing, and exclude each other and every other action.', [
      'git flame review -h',
    ]);
  const { runDone, runTry } = await import('./try-changeset.ts');
  return done ? runDone(args, io) : runTry(args, io);
}

interface Decided {
  readonly only: string | null;
  readonly gates: Gates;
}

/** The person's gates, or a decision of the command line; an approval is about the commits last shown, or one named. */
async function gatesOf(
  decision: ChangesetDecision | null,
  { options }: CommandArgs<'review'>,
  { context, shown, output }: Pick<CommandContext, 'context' | 'shown' | 'output'>,
  id: SessionId,
): Promise<Decided> {
  const { changeset: only, commit } = options;
  if (decision === null) return { only, gates: context.gates };
  if (decision.kind !== 'approve') {
    const part = decision.kind === 'reject' ? decision.tasks : undefined;
    const { session } = await viewSession(context, id);
    const name = part === undefined ? only : holderOf(listChangesetsOfCycle(session), part, only);
    const decide = async ({ changeset, onTop }: ChangesetQuestion): Promise<DecisionWithPlace<ChangesetDecision>> => {
      // Shown as at a gate, before anything is recorded.
      const above = decision.kind === 'reject' ? await onTop?.(changeset.id, decision.tasks) : [];
      for (const line of renderRejectionEffects(above ?? [])) output.info(line);
      return { ...decision, where: 'command' };
    };
    return { only: name, gates: { ...context.gates, changeset: decide } };
  }
  const { session } = await viewSession(context, id);
  const waiting = listChangesetsOfCycle(session).filter(({ state }) => state === 'waiting');
  const named = commit === null ? undefined : waiting.find((one) => one.commit.startsWith(commit));
  const name = only ?? named?.id ?? null;
  const selected = (changeset: Changeset): string | null => commit ?? shown.findLastSeen(id, changeset.id);
  // All of them before the first is recorded.
  for (const one of waiting)
    if (name === null || one.id === name || one.group === name) requireSeenCommit(one, selected(one));
  const approve = async ({ changeset }: ChangesetQuestion): Promise<DecisionWithPlace<ChangesetDecision>> => ({
    ...decision,
    where: 'command',
    commit: selected(changeset),
  });
  return { only: name, gates: { ...context.gates, changeset: approve } };
}

/** The changeset that waits and holds the first of these tasks. Throws FlameError `no-changeset`. */
function holderOf(current: readonly Changeset[], [task]: readonly string[], name: string | null): string {
  const waiting = current.filter(({ state }) => state === 'waiting');
  const found = waiting.find(
    ({ id, group, tasks }) => (name === null || id === name || group === name) && tasks.some((one) => one === task),
  );
  if (found !== undefined) return found.id;
  if (name !== null && !waiting.some(({ id, group }) => id === name || group === name))
    throw nothingToDecideError(name, current);
  throw noChangesetError(`No changeset waiting for a decision contains task ${task ?? ''}.`, ['git flame status']);
}

/** The decision given on the command line; null: ask. Throws FlameError `contradiction` when there is more than one. */
function decisionOf(options: CommandOptions['review']): ChangesetDecision | null {
  const given: ChangesetDecision[] = [];
  const { override, message } = options;
  if (options.approve || override !== null)
    given.push({
      kind: 'approve',
      ...(override === null ? {} : { override }),
      ...(message === null ? {} : { message }),
    });
  const { reject: reason, keepWork: keep, tasks } = options;
  const part = tasks === null ? {} : { tasks };
  if (reason !== null) given.push({ kind: 'reject', reason, ...part, ...(keep ? { keep } : {}) });
  if (options.skip) given.push({ kind: 'skip' });
  if (given.length > 1) {
    throw contradictingOptionsError('Approve, reject or skip a changeset: these options exclude each other.', [
      'git flame review -h',
    ]);
  }
  if (options.takeBack !== null && given.length + (options.changeset === null ? 0 : 1) > 0)
    throw contradictingOptionsError("--take-back withdraws a decision, so it can't be combined with a new one.", [
      'git flame review --take-back GROUP',
    ]);
  requireReject(options);
  requireCommitOption(options, given[0]);
  requireApproved(options, given[0]);
  return given[0] ?? null;
}

function requireReject({ reject, keepWork, tasks }: CommandOptions['review']): void {
  if (reject !== null) return;
  if (tasks !== null)
    throw contradictingOptionsError('--tasks needs --reject: it names the tasks to send back.', [
      'git flame review --changeset GROUP --reject REASON --tasks ID',
    ]);
  if (!keepWork) return;
  throw nothingToKeepError('--keep-work needs --reject: the next attempt then starts from the rejected work.', [
    'git flame review --changeset GROUP --reject REASON --keep-work',
  ]);
}

function requireApproved({ message }: CommandOptions['review'], decision?: ChangesetDecision): void {
  if (message === null || decision?.kind === 'approve') return;
  throw contradictingOptionsError(
    '--message needs --approve or --override: it is the message the changeset lands with.',
    ['git flame review --changeset GROUP --approve --message MESSAGE'],
  );
}

function requireCommitOption({ commit }: CommandOptions['review'], decision?: ChangesetDecision): void {
  if (commit === null) return;
  const isId = /^[0-9a-f]{7,64}$/.test(commit);
  if (isId && decision?.kind === 'approve') return;
  throw new FlameError({
    kind: 'usage',
    code: 'bad-commit',
    message: isId
      ? '--commit needs --approve or --override: it names the commit they approve.'
      : `--commit needs the id of a commit, at least its first 7 hex digits, not '${commit}'.`,
    hints: ['git flame status', 'git flame review -h'],
  });
}

/** `git flame review --take-back CHANGESET`: what was decided about it and has not landed, as if it never had been. */
function takeBackDecision(args: CommandArgs<'review'>, io: Io, name: string): Promise<number> {
  return withRunContext(args, io, async (opened) => {
    const selected = opened.selected.require(await opened.store.snapshot());
    requireTypedByPerson('Which decision is withdrawn', opened.git.repository, io);
    return runWhereSessionIsLed(opened, io, selected, async (led) => {
      await resumeSession(led.context, selected.id);
      await undoChangesetDecision(led.context, selected.id, name, { where: 'command' });
      await reportCommandEnd(led, selected.id);
      return 0;
    });
  });
}
