import { toChangesetBuiltDecision, toDiagnosticsRunDecision } from '../../core/admission/make-decisions.ts';
import type { ObjectId } from '../../domain/ids.ts';
import type { GitCommits } from '../../domain/ports/git-commits.ts';
import type { GitDiffs, GitFiles } from '../../domain/ports/git-contents.ts';
import type { Changeset } from '../../domain/state/changeset.ts';
import { hasFailedDiagnostic } from '../../domain/state/changeset-facts.ts';
import type { Session } from '../../domain/state/session-schema.ts';
import type { Task } from '../../domain/state/task-schema.ts';
import type { DiagnosticRun } from '../../domain/state/verdict.ts';
import { describeViolation, findRulesBrokenByTask, findViolationsInCommits } from '../post-check/judge-commits.ts';
import { compileWorkerPolicy } from '../post-check/worker-policy.ts';
import { requireTaskInView, type SessionView } from '../record-changes.ts';
import type { RunContext, WithGit } from '../run-context.ts';
import { diagnoseCommit } from '../validate/run-diagnostics.ts';

type LandingProof =
  | { readonly kind: 'proven' }
  /** This clone did not merge it, so nothing is known of its content. */
  | { readonly kind: 'strange' }
  /** The work of its tasks breaks their rules. */
  | { readonly kind: 'broken'; readonly notes: string }
  /** Its checks fail, and no reason was given why it may land all the same. */
  | { readonly kind: 'red'; readonly diagnostics: readonly DiagnosticRun[] };

/**
 * Proves an approved changeset once more before it lands, no matter which clone approved it: this clone or a
 * named signer merged it from the commits of its tasks, those obey the rules, and the diagnostics are green
 * or overridden. What this clone already proved for the same commits and configuration is not proved again.
 */
export async function proveMayLand(
  context: RunContext,
  view: SessionView,
  changeset: Changeset,
): Promise<LandingProof> {
  const built = toChangesetBuiltDecision(view.session, changeset);
  if (!context.decided.has(built)) return { kind: 'strange' };
  const tasks = changeset.tasks.map((id) => requireTaskInView(view, id));
  const notes: string[] = [];
  for (const task of tasks) notes.push(...(await findRulesBrokenByTask(context, task)));
  if (context.decided.signedBy(built) !== null) notes.push(...(await brokenMerge(context, changeset, tasks)));
  if (notes.length > 0) return { kind: 'broken', notes: notes.slice(0, 20).join('\n') };
  return proveChecks(context, view, changeset);
}

/** A merge made by another clone holds nothing but what its tasks may write, whichever signer it has. */
async function brokenMerge(
  context: Pick<RunContext, 'config' | 'signal'> & WithGit<GitCommits & GitDiffs & GitFiles>,
  { id, parent, commit }: Changeset,
  tasks: readonly Task[],
): Promise<readonly string[]> {
  const commits = await context.git.commitsBetween(parent, commit);
  const violations = await findViolationsInCommits(context, {
    start: parent,
    tip: commit,
    signer: null,
    policy: await compileWorkerPolicy(context, {
      fileLocks: tasks.flatMap(({ file_locks }) => file_locks),
      start: parent,
    }),
    // The names and messages of its tasks' commits were judged with each of them.
    ours: commits.map(({ oid }) => oid),
  });
  return violations.map((violation) => `${id}: [${violation.rule}] ${describeViolation(violation)}`);
}

async function proveChecks(context: RunContext, { session }: SessionView, changeset: Changeset): Promise<LandingProof> {
  const proof = toDiagnosticsRunDecision(session, changeset.commit, context.configDigest);
  if (context.decided.has(proof)) return { kind: 'proven' };
  const diagnostics = await diagnoseCommit(context, changeset.commit, session.base_commit, {
    session: session.id,
    words: `changeset ${changeset.group}`,
  });
  const isOverridden = (changeset.reason ?? '').trim() !== '';
  if (hasFailedDiagnostic({ diagnostics }) && !isOverridden) return { kind: 'red', diagnostics };
  context.decided.record([proof]);
  return { kind: 'proven' };
}

/** A changeset with its tasks, as they were when its landing began to be proven. */
export interface ChangesetToProve {
  readonly changeset: Changeset;
  readonly tasks: readonly Task[];
}

/**
 * Whether a person's word still is about exactly this: the changeset is approved with that commit, and its tasks have the
 * work it was built of. While it is proven, another command may take the approval back or choose another attempt.
 */
export function isStillApproved(view: SessionView, { changeset, tasks }: ChangesetToProve): boolean {
  const known = view.session.changesets.find(({ id }) => id === changeset.id);
  if (known?.state !== 'approved' || known.commit !== changeset.commit) return false;
  return tasks.every((task) => {
    const { status, commit } = requireTaskInView(view, task.id);
    return status === task.status && commit === task.commit;
  });
}

type Below = Pick<Changeset, 'group' | 'state'>;

/**
 * Finds a changeset that landing another onto `tip` would bring along although it has not landed; null: none. Decisions
 * about it don't matter: the person was shown the difference to it. One that it was built on, and that its session
 * doesn't list as this clone built it, has not landed either, unless the branch holds it.
 */
export async function findUnlandedBelow(
  { git, decided }: Pick<RunContext, 'decided'> & WithGit<GitCommits>,
  session: Session,
  { changeset, tip }: { readonly changeset: Changeset; readonly tip: ObjectId },
): Promise<Below | null> {
  for (const group of changeset.depends_on) {
    const named = session.changesets.filter((one) => one.id !== changeset.id && one.group === group);
    const below: Changeset[] = [];
    for (const one of named) if (await git.isAncestor(one.commit, changeset.commit)) below.push(one);
    const landed = new Set(below.filter(({ state }) => state === 'landed').map(({ commit }) => commit));
    // One that was skipped may have been built again as the same commit.
    const waiting = below.find(({ commit }) => !landed.has(commit));
    if (waiting !== undefined) return waiting;
    if (below.some((one) => decided.has(toChangesetBuiltDecision(session, one)))) continue;
    if (!(await git.isAncestor(changeset.parent, tip))) return { group, state: 'void' };
  }
  return null;
}
