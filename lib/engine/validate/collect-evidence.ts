import { buildEvidence } from '../../core/changesets/evidence.ts';
import type { ObjectId } from '../../domain/ids.ts';
import type { GitPort } from '../../domain/ports/git-port.ts';
import type { DiagnosticRun, Evidence } from '../../domain/state/verdict.ts';

const longestSummary = 2_000;

interface EvidenceRequest {
  /** The work is base..commit, both in the repository. */
  readonly base: ObjectId;
  readonly commit: ObjectId;
  readonly summary: string;
  /** The checks that were run on the commit. */
  readonly checks: readonly DiagnosticRun[];
  readonly seed?: string | null;
  readonly results?: Evidence['results'];
}

/** The evidence package of work that was checked: for a verdict, or for a task handed in by a person. */
export async function collectEvidence(
  git: Pick<GitPort, 'readCommit' | 'treeChanges'>,
  { base, commit, summary, checks, seed, results }: EvidenceRequest,
): Promise<Evidence> {
  const [{ tree }, files] = await Promise.all([git.readCommit(commit), git.treeChanges(base, commit)]);
  return buildEvidence({
    summary: summary.slice(0, longestSummary),
    tree,
    files,
    commands: checks.map(({ command, exit_code, output_hash }) => ({
      command,
      exit_code,
      output_hash: output_hash ?? null,
    })),
    ...(seed === undefined ? {} : { seed }),
    ...(results === undefined ? {} : { results }),
  });
}
