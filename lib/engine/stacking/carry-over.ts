import { toChangesetBuiltDecision, toDiagnosticsRunDecision } from '../../core/admission/make-decisions.ts';
import type { ObjectId } from '../../domain/ids.ts';
import type { GitCommits } from '../../domain/ports/git-commits.ts';
import type { Changeset } from '../../domain/state/changeset.ts';
import { hasFailedDiagnostic, isFromChecks } from '../../domain/state/changeset-facts.ts';
import type { Session } from '../../domain/state/session-schema.ts';
import type { TaskWithAcceptedWork } from '../../domain/state/task-schema.ts';
import type { Verdict } from '../../domain/state/verdict.ts';
import { type RunContext, timestamp, type WithGit } from '../run-context.ts';

type Ports = Pick<RunContext, 'configDigest' | 'decided'> & WithGit<GitCommits>;

/**
 * Makes the verdict on a rebased work from the one on it before, where all that was judged is the same: the files, those
 * it started from, and the configuration by which this clone ran its checks. It is a verdict of its own on the new
 * commit, and names the one that was judged. null: it has to be judged again; so has what failed, and what a person
 * passed or a machine that joined judged.
 */
export async function carryVerdict(
  context: Ports & Pick<RunContext, 'now'>,
  verdict: Verdict,
  { id, commit, start_commit: base }: Pick<TaskWithAcceptedWork, 'id' | 'commit' | 'start_commit'>,
): Promise<Verdict | null> {
  const { status, override, machine, session } = verdict;
  if (!isFromChecks(verdict) || machine !== undefined || override !== undefined) return null;
  if (verdict.task !== id || status !== 'pass' || hasFailedDiagnostic(verdict)) return null;
  const judged = verdict.carried_from ?? verdict.commit;
  if (!context.decided.has(toDiagnosticsRunDecision({ id: session }, judged, context.configDigest))) return null;
  if (!(await haveSameFiles(context, verdict.commit, commit))) return null;
  if (!(await haveSameFiles(context, verdict.base, base))) return null;
  return { ...verdict, commit, base, carried_from: judged, at: timestamp(context), cost_usd: 0, tokens: 0 };
}

/**
 * Finds an earlier changeset of the same group on whose commit this clone ran the diagnostics that one with these files
 * would need: built of the same files, on the same ones. null: none, or one of them failed there. What a changeset says
 * counts as this clone wrote it: its results, and what they were found on, may be another's words.
 */
export async function findSameDiagnostics(
  context: Ports,
  session: Session,
  { group, parent, commit }: Pick<Changeset, 'group' | 'parent' | 'commit'>,
): Promise<{ readonly diagnostics: Changeset['diagnostics']; readonly diagnosed: ObjectId } | null> {
  for (const one of session.changesets.filter((known) => known.group === group).reverse()) {
    const diagnosed = one.diagnosed ?? one.commit;
    const ran = toDiagnosticsRunDecision(session, diagnosed, context.configDigest);
    if (one.diagnostics.length === 0 || hasFailedDiagnostic(one) || !context.decided.has(ran)) continue;
    if (!context.decided.has(toChangesetBuiltDecision(session, one))) continue;
    if (!(await haveSameFiles(context, one.commit, commit))) continue;
    if (await haveSameFiles(context, one.parent, parent)) return { diagnostics: one.diagnostics, diagnosed };
  }
  return null;
}

/** Of a commit that is not in this clone any more nothing is known. */
async function haveSameFiles({ git }: WithGit<GitCommits>, before: ObjectId, now: ObjectId): Promise<boolean> {
  if (before === now) return true;
  if ((await git.resolveCommit(before)) === null) return false;
  const [one, other] = await Promise.all([git.readCommit(before), git.readCommit(now)]);
  return one.tree === other.tree;
}
