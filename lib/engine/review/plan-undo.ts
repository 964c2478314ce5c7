import { landedDecision } from '../../core/admission/decisions.ts';
import { type LandedChangeset, landedChangeset } from '../../core/changesets/changeset-decision.ts';
import { noChangeset } from '../../domain/bad-input.ts';
import { FlameError } from '../../domain/flame-error.ts';
import type { ObjectId, SessionId, TaskId } from '../../domain/ids.ts';
import type { Session } from '../../domain/state/session.ts';
import { landsOn, requestsOf } from '../../domain/state/session-facts.ts';
import type { Task } from '../../domain/state/task.ts';
import { taskOf, viewSession } from '../record.ts';
import { baseTip } from '../start-point.ts';
import type { Workshop } from '../workshop.ts';
import { standingOn } from './undone-landing.ts';

/** Which landing would be taken back, and how. */
interface UndoPlan {
  readonly session: Session;
  readonly changeset: LandedChangeset;
  /** Tasks whose work stands on it: it is rebased onto what remains, and goes back to its worker on a conflict. */
  readonly above: readonly TaskId[];
  readonly way:
    | { readonly how: 'moved-back' }
    /** The branch had lost it already. */
    | { readonly how: 'was-gone' }
    /** `why`: as the end of a sentence. */
    | { readonly how: 'revert'; readonly why: string };
}

/**
 * Plans how to take a landing back, without doing it: the branch moves back if it is still as the landing left it and
 * nothing shows that it was published; else a revert is reviewed like any work.
 */
export async function planUndo(
  workshop: Pick<Workshop, 'config' | 'git' | 'decided' | 'sharing' | 'store'>,
  id: SessionId,
  name: string | null,
): Promise<UndoPlan> {
  const view = await viewSession(workshop, id);
  const { session } = view;
  const changeset = landedChangeset(session, name);
  if (changeset === undefined) throw nothingLanded(session, name);
  const again = view.tasks.find(
    ({ takes_back: back, status }) =>
      back?.changeset === changeset.id && status !== 'dropped' && status !== 'merged',
  );
  if (again !== undefined) throw takenBackAlready(changeset, again);
  if (changeset.tasks.some((task) => taskOf(view, task).takes_back !== undefined)) throw isRevert(changeset);
  const { landed_commit: commit } = changeset;
  const above = await standingOn(workshop, view, changeset);
  const tip = await baseTip(workshop, session);
  if (commit !== tip && !(await workshop.git.isAncestor(commit, tip))) {
    await requireGone(workshop, session, { changeset, tip });
    return { session, changeset, above, way: { how: 'was-gone' } };
  }
  const why = await whyRevert(workshop, session, { commit, tip });
  return { session, changeset, above, way: why === null ? { how: 'moved-back' } : { how: 'revert', why } };
}

/**
 * A person may have taken a landing off the branch. That the branch has just not been brought along is another thing: then
 * the work is still where others have it. Throws FlameError `behind-landing`.
 */
async function requireGone(
  { git, decided }: Pick<Workshop, 'git' | 'decided'>,
  session: Session,
  { changeset, tip }: { readonly changeset: LandedChangeset; readonly tip: ObjectId },
): Promise<void> {
  const { id, landed_commit: commit } = changeset;
  const [published] = await git.refsHolding(commit, 'refs/remotes/');
  const isOwn = decided.has(landedDecision(session, changeset));
  if (published === undefined && (isOwn || !(await git.isAncestor(tip, commit)))) return;
  const where =
    published === undefined ? 'in another clone' : `on ${published.ref.slice('refs/remotes/'.length)}`;
  throw new FlameError({
    kind: 'refused',
    code: 'behind-landing',
    message: `${id} landed ${where}, and ${landsOn(session)} here is without it: bring it along first.`,
    hints: ['git pull --ff-only', `git flame undo ${id} --dry-run`],
  });
}

/** Why the branch is not moved back, as the end of a sentence; null: it is. */
async function whyRevert(
  { git }: Pick<Workshop, 'git'>,
  session: Session,
  { commit, tip }: { readonly commit: ObjectId; readonly tip: ObjectId },
): Promise<string | null> {
  const branch = landsOn(session);
  if (commit !== tip) return `${branch} has moved on since`;
  if (session.machines !== undefined) return 'other machines have it';
  if (requestsOf(session).length > 0) return 'a pull request shows it';
  for (const prefix of ['refs/remotes/', 'refs/tags/']) {
    const [first] = await git.refsHolding(commit, prefix);
    if (first !== undefined) return `${first.ref.slice('refs/'.length)} holds it`;
  }
  return null;
}

function nothingLanded({ id, changesets }: Session, name: string | null): FlameError {
  const known = changesets.findLast((one) => one.id === name || one.group === name);
  if (known !== undefined)
    return noChangeset(`Changeset ${known.id} is ${known.state}: there is no landing of it to take back.`, [
      `git flame show ${known.id}`,
    ]);
  return noChangeset(`No changeset${name === null ? '' : ` ${name}`} has landed in ${id}.`, [
    'git flame status',
  ]);
}

function takenBackAlready(
  { id }: LandedChangeset,
  { id: task, cohesion_group: group, status }: Task,
): FlameError {
  return new FlameError({
    kind: 'refused',
    code: 'taken-back-already',
    message: `${task} takes the landing of ${id} back already; it is ${status}.`,
    hints: [`git flame show ${task}`, `git flame review --changeset ${group}`],
  });
}

/** Error for undoing a revert: the tasks it requeued or dropped would not be landed, but their work would be there. */
function isRevert({ id, tasks }: LandedChangeset): FlameError {
  return new FlameError({
    kind: 'refused',
    code: 'revert-taken-back',
    message: `${id} took a landing back itself. What that had brought comes again when its tasks are done again, as work of their own.`,
    hints: tasks.map((task) => `git flame show ${task}`),
  });
}
