import {
  rejectTasksOfChangeset,
  withApprovalMessage,
  withChangesetState,
} from '../../core/changesets/changeset-decision.ts';
import { withdrawTasks } from '../../core/task/block-dependents.ts';
import { requeueTask } from '../../core/task/task-outcome.ts';
import { type FlameError, refusedError } from '../../domain/flame-error.ts';
import type { SessionId, TaskId } from '../../domain/ids.ts';
import type { ChangesetDecision } from '../../domain/ports/changeset-question.ts';
import type { DecisionWithPlace } from '../../domain/ports/gates.ts';
import type { Changeset } from '../../domain/state/changeset.ts';
import { hasFailedDiagnostic } from '../../domain/state/changeset-facts.ts';
import type { LineComment } from '../../domain/state/line-comment.ts';
import type { Session } from '../../domain/state/session-schema.ts';
import { isNonBlank } from '../../util/error-text.ts';
import { shellQuote } from '../../util/shell-quote.ts';
import { shortId } from '../../util/short-names.ts';
import { addGateDecision } from '../agents/ask-person.ts';
import { chooseOtherAttemptByHand } from '../manual/choose-attempt.ts';
import { requireValidMessage } from '../merge/changeset-message.ts';
import { type ChangesToRecord, decideAndRecord, requireTaskInView, viewSession } from '../record-changes.ts';
import { type RunContext, timestamp } from '../run-context.ts';
import { needsOverrideError } from '../validate/run-diagnostics.ts';
import { addExcerptsToComments, assignCommentsToTasks, warnOfMisplacedComments } from './assign-comments.ts';

type Outcome =
  | Extract<ChangesetDecision, { readonly kind: 'approve' | 'reject' | 'skip' }>
  | { readonly kind: 'deferred'; readonly reason: string };

const stateOf = { approve: 'approved', reject: 'rejected', skip: 'skipped', deferred: 'deferred' } as const;

/** Records what became of a changeset; false: something else had become of it meanwhile, and that holds. */
export async function recordChangesetOutcome(
  context: RunContext,
  id: SessionId,
  changeset: Changeset,
  outcome: DecisionWithPlace<Outcome>,
): Promise<boolean> {
  const reason = reasonOf(outcome);
  const comments = 'comments' in outcome ? (outcome.comments ?? []) : [];
  const leaving = outcome.kind === 'reject' ? sentBack(changeset, outcome.tasks) : changeset.tasks;
  const shown = await viewSession(context, id);
  const tasks = leaving.map((task) => requireTaskInView(shown, task));
  const quoted = await addExcerptsToComments(context, changeset, comments);
  const placed = await assignCommentsToTasks(context, tasks, quoted);
  const result = await decideAndRecord(context, id, (view): ChangesToRecord | null => {
    const known = findWaiting(view.session, changeset);
    if (known === undefined) return null;
    if (outcome.kind === 'reject') requireWhy(known, outcome.reason);
    if (outcome.kind === 'approve') {
      requireSeenCommit(known, outcome.commit);
      requireReason(known, outcome.override);
      requireValidMessage(context.config, view.session, { changeset: known, message: outcome.message });
    }
    const state = stateOf[outcome.kind];
    const isPart = leaving.length < changeset.tasks.length;
    const said = isPart ? `${outcome.kind} ${leaving.join(', ')}` : outcome.kind;
    const noted = addGateDecision(
      view.session,
      { gate: `changeset ${changeset.id}`, decision: said },
      outcome,
      context,
    );
    const next = decided(context, noted, { changeset, outcome, remarks: quoted, leaving });
    const which = isPart ? ` in part (${leaving.join(', ')})` : '';
    const subject = `changeset ${changeset.id}: ${state}${which} by ${context.gates.person}`;
    const session = { next, subject };
    if (outcome.kind !== 'reject') return { session, ...(reason === null ? {} : { body: reason }) };
    const at = timestamp(context);
    const steps = leaving.map((task) =>
      requeueTask(requireTaskInView(view, task), {
        kind: 'rejected',
        notes: outcome.reason,
        at,
        comments: placed.get(task) ?? [],
        keep: outcome.keep === true,
      }),
    );
    return { session, steps: withdrawTasks(view.tasks, steps, at), body: outcome.reason };
  });
  if (result.kind !== 'done') return false;
  await warnOfMisplacedComments(context, changeset, comments);
  const decision = stateOf[outcome.kind];
  const part = leaving.length < changeset.tasks.length ? { tasks: leaving } : {};
  context.events.emit({ event: 'changeset-decided', changeset: changeset.id, decision, reason, ...part });
  return true;
}

/** The session once a changeset is decided. */
function decided(
  context: Pick<RunContext, 'gates'>,
  session: Session,
  {
    changeset,
    outcome,
    remarks,
    leaving,
  }: {
    readonly changeset: Changeset;
    readonly outcome: Outcome;
    readonly remarks: readonly LineComment[];
    readonly leaving: readonly TaskId[];
  },
): Session {
  const by = context.gates.person;
  if (outcome.kind === 'reject' && leaving.length < changeset.tasks.length)
    return rejectTasksOfChangeset(session, changeset, { tasks: leaving, reason: outcome.reason, by });
  const stated = withChangesetState(session, [changeset.id], stateOf[outcome.kind], reasonOf(outcome), by);
  if (outcome.kind !== 'approve') return stated;
  return withApprovalMessage(stated, changeset.id, { remarks, message: outcome.message });
}

/** The tasks that a rejection sends back, in the order of the changeset. Throws FlameError `not-in-changeset`. */
function sentBack(changeset: Changeset, named: readonly string[] | undefined): readonly TaskId[] {
  if (named === undefined) return changeset.tasks;
  const strange = named.find((name) => !changeset.tasks.some((id) => id === name));
  if (strange !== undefined || named.length === 0) throw notInChangeset(changeset, strange);
  return changeset.tasks.filter((id) => named.includes(id));
}

function findWaiting(session: Session, { id, commit }: Changeset): Changeset | undefined {
  return session.changesets.find((known) => known.id === id && known.commit === commit && known.state === 'waiting');
}

/** An approval is about one commit: what was built or received since is another. Throws FlameError `not-shown`. */
export function requireSeenCommit(changeset: Changeset, selected: string | null | undefined): void {
  const { group, commit } = changeset;
  if (selected === undefined || (selected !== null && commit.startsWith(selected))) return;
  const now = `Changeset ${group} is at commit ${shortId(commit)}`;
  throw refusedError(
    'not-shown',
    selected === null ? `${now}, which you have not seen yet.` : `${now}, but you saw or named ${shortId(selected)}.`,
    [
      `git flame show ${shellQuote(group)} --diff`,
      `git flame review --changeset ${shellQuote(group)} ${hasFailedDiagnostic(changeset) ? '--override REASON' : '--approve'} --commit ${shortId(commit)}`,
    ],
  );
}

/** However the decision came here: what is red is approved with a reason, or not at all. */
function requireReason(changeset: Changeset, override: string | undefined): void {
  if (!hasFailedDiagnostic(changeset) || isNonBlank(override ?? '')) return;
  const message = `Changeset ${changeset.group} fails its diagnostics. To approve it, give a reason.`;
  throw needsOverrideError(message, changeset.diagnostics, [
    `git flame show ${shellQuote(changeset.group)}`,
    `git flame review --changeset ${shellQuote(changeset.group)} --override REASON`,
    `git flame review --changeset ${shellQuote(changeset.group)} --reject REASON`,
  ]);
}

/** Requires a reason where work goes back to its agents. */
function requireWhy({ group }: Changeset, reason: string): void {
  if (isNonBlank(reason)) return;
  throw missingReasonError(`To reject changeset ${group}, give a reason: the agents of its tasks read it.`, [
    `git flame review --changeset ${shellQuote(group)} --reject REASON`,
  ]);
}

/** Error for a decision without a reason, which later readers need. */
export function missingReasonError(message: string, hints: readonly string[]): FlameError {
  return refusedError('needs-reason', message, hints);
}

function reasonOf(outcome: Outcome): string | null {
  switch (outcome.kind) {
    case 'approve':
      return outcome.override ?? null;
    case 'reject':
    case 'deferred':
      return outcome.reason;
    case 'skip':
      return null;
  }
}

/** Makes another attempt the work of one of a changeset's tasks: the changeset is void by that, and built again. */
export async function applyChosenAttempt(
  context: RunContext,
  session: SessionId,
  changeset: Changeset,
  { task, attempt }: Extract<ChangesetDecision, { readonly kind: 'choose' }>,
): Promise<void> {
  if (!changeset.tasks.some((one) => one === task)) throw notInChangeset(changeset, task);
  await chooseOtherAttemptByHand(context, session, { task, attempt });
  const reason = `attempt ${attempt} at ${task} is its work`;
  context.events.emit({
    event: 'changeset-decided',
    changeset: changeset.id,
    decision: 'built again',
    reason,
  });
}

/** Error for a task that is not in the changeset; name undefined: none was named. */
function notInChangeset({ group, tasks }: Changeset, name: string | undefined): FlameError {
  const what = name === undefined ? 'none of them' : JSON.stringify(name.slice(0, 100));
  return refusedError(
    'not-in-changeset',
    `Changeset ${group} holds ${tasks.join(', ')}, but you named ${what}.`,
    tasks.map((id) => `git flame review --changeset ${group} --reject REASON --tasks ${id}`),
  );
}
