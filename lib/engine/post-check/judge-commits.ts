import { setImmediate as turn } from 'node:timers/promises';
import { toAcceptedCommitsDecision } from '../../core/admission/make-decisions.ts';
import type { AgentPolicy, Violation } from '../../domain/agent-policy.ts';
import { agentIdentity, type ObjectId } from '../../domain/ids.ts';
import type { Quarantine } from '../../domain/ports/git-cells.ts';
import type { CommitInfo, GitCommits } from '../../domain/ports/git-commits.ts';
import type { GitDiffs, GitFiles } from '../../domain/ports/git-contents.ts';
import type { ChangedFile } from '../../domain/state/patch.ts';
import type { Task } from '../../domain/state/task-schema.ts';
import { checkByParts, checkFilesOneByOne, type FilesInput } from '../../policy/check-branch.ts';
import type { ExpectedAuthor } from '../../policy/check-commit.ts';
import type { SecretFinding } from '../../policy/secrets/find-secrets.ts';
import { shortId } from '../../util/short-names.ts';
import { stoppedUnjudgedError } from '../graceful-stop.ts';
import type { RunContext, WithGit } from '../run-context.ts';
import { createSecretScanner, type SecretScanner } from './scan-secrets.ts';
import { compileWorkerPolicy } from './worker-policy.ts';

interface JudgedCommits {
  readonly start: ObjectId;
  readonly tip: ObjectId;
  readonly policy: AgentPolicy;
  /** Place of the objects that aren't in the repository yet. */
  readonly quarantine?: Quarantine;
  /** Commits that were there already when it began, or were made for the agent, by this program. */
  readonly ours: readonly ObjectId[];
  /** Signer that the others must have; null: a person. */
  readonly signer: ExpectedAuthor | null;
}

/**
 * The post-check: everything that start..tip does against the policy, judged on git objects alone. What a commit
 * brings and a later one takes back is judged too: it would enter the repository with the rest.
 */
export async function findViolationsInCommits(
  { git, signal }: WithGit<GitCommits & GitDiffs & GitFiles> & Partial<Pick<RunContext, 'signal'>>,
  judged: JudgedCommits,
): Promise<readonly Violation[]> {
  const { start, tip, policy, quarantine, ours, signer } = judged;
  const scanner = createSecretScanner(signal);
  const [files, commits] = await Promise.all([
    git.changedFiles(start, tip, quarantine),
    git.commitsBetween(start, tip, quarantine),
  ]);
  // The message and names of a commit made for the agent aren't the agent's.
  const own = commits.filter(({ oid }) => !ours.includes(oid));
  const contents = await readContents(git, judged, { commit: tip, files, scanner });
  return [
    ...(commits.length === 0 && tip !== start ? [wentBack(judged)] : []),
    ...(await collectWithYields(
      checkByParts({ policy, files, commits: own, start, given: ours, signer, ...contents }),
      signal,
    )),
    ...(await judgePassing(git, judged, { commits, files, scanner, signal })),
  ];
}

function wentBack({ start, tip }: JudgedCommits): Violation {
  return {
    rule: 'history',
    where: tip,
    details: `HEAD is before ${shortId(start)}, where the task started. Add commits on top of it and remove none from before.`,
  };
}

interface Passing {
  readonly commits: readonly CommitInfo[];
  readonly files: readonly ChangedFile[];
  readonly scanner: SecretScanner;
  readonly signal: AbortSignal | undefined;
}

/**
 * Judges the contents that commits on the way hold and neither the start nor the tip does, each once. Each commit is
 * compared with the one before it, so that many commits to many files cost no more than they change.
 */
async function judgePassing(
  git: GitDiffs & GitFiles,
  judged: JudgedCommits,
  { commits, files, scanner, signal }: Passing,
): Promise<readonly Violation[]> {
  const { start, tip, policy, quarantine } = judged;
  const seen = new Set(
    files.flatMap((file) => [
      nameContent(file.path, file.newMode, file.newOid),
      nameContent(file.path, file.oldMode, file.oldOid),
    ]),
  );
  const touched = new Set<string>();
  const found: Violation[] = [];
  for (const { oid, parents } of commits.filter((commit) => commit.oid !== tip)) {
    const before = parents[0] ?? start;
    const fresh = new Set<string>();
    for (const change of await git.treeChanges(before, oid, quarantine)) {
      const { path, mode, blob } = change;
      const name = nameContent(path, mode, blob);
      // The start's content of a path is the old side of its first change.
      if (!touched.has(path)) seen.add(nameContent(path, change.oldMode, change.oldBlob));
      touched.add(path);
      if (blob !== null && !seen.has(name)) fresh.add(path);
      seen.add(name);
    }
    if (fresh.size === 0) continue;
    const among = await git.changedFiles(before, oid, quarantine);
    const passing = among.filter(({ path }) => fresh.has(path));
    const contents = await readContents(git, judged, { commit: oid, files: passing, scanner });
    for (const violation of await collectWithYields(
      checkFilesOneByOne({ policy, files: passing, among, ...contents }),
      signal,
    ))
      found.push({
        ...violation,
        details: `In commit ${shortId(oid)}: ${violation.details} A later commit does not undo that.`,
      });
  }
  return found;
}

function nameContent(path: string, mode: string, blob: ObjectId | null): string {
  return `${mode} ${blob} ${path}`;
}

type Contents = Pick<FilesInput, 'readText' | 'secrets'>;

async function readContents(
  git: GitFiles,
  { policy, quarantine }: JudgedCommits,
  { commit, files, scanner }: Pick<Passing, 'files' | 'scanner'> & { readonly commit: ObjectId },
): Promise<Contents> {
  const links = files.filter(({ newMode }) => newMode === '120000').map(({ path }) => path);
  const texts = await git.readTexts(commit, links, quarantine);
  const secrets = new Map<string, readonly SecretFinding[]>();
  const plain = files.filter(({ newMode, size }) => newMode.startsWith('100') && size <= policy.max_file_bytes);
  // One after another: together they may be larger than the memory.
  for (const { path, status, oldOid, newOid, isBinary } of plain) {
    const old = status === 'modified' ? oldOid : null;
    const read = (oid: ObjectId): Promise<string | null> => git.readBlobAsLatin1(oid, commit, quarantine);
    secrets.set(path, await scanner.scan({ blob: newOid, old, isBinary }, read));
  }
  return { readText: (path) => texts.get(path) ?? null, secrets: (path) => secrets.get(path) ?? [] };
}

/** Milliseconds for which nothing else is heard, a person's stop included. */
const longestPiece = 20;

/**
 * All that the parts hold, in their order; others have their turns in between. Rejects with `interrupted` soon after the
 * signal aborts.
 */
export async function collectWithYields<T>(
  parts: Iterable<readonly T[]>,
  signal: AbortSignal | undefined,
): Promise<readonly T[]> {
  const all: T[] = [];
  let began = performance.now();
  for (const part of parts) {
    all.push(...part);
    if (performance.now() - began < longestPiece) continue;
    await turn();
    if (signal?.aborted === true) throw stoppedUnjudgedError();
    began = performance.now();
  }
  return all;
}

/** The post-check, as where an agent or a person handed the work in. */
export async function findRulesBrokenByTask(context: RunContext, task: Task): Promise<readonly string[]> {
  const { commit: tip, start_commit: start, agent_id: agent } = task;
  const work = toAcceptedCommitsDecision(task, context.configDigest);
  if (tip === null || start === null || context.decided.has(work)) return [];
  const policy = await compileWorkerPolicy(context, {
    ...(agent === null ? {} : { agentId: agent }),
    fileLocks: task.file_locks,
    start,
  });
  const now = context.now().getTime();
  // The work it went on with is by other agents, and was judged when it was handed in.
  const given = task.kept === undefined ? [] : await context.git.commitsBetween(start, task.kept.commit);
  const violations = await findViolationsInCommits(context, {
    start,
    tip,
    policy,
    // An agent's last commit may have been made for it, by a message and in a name that were not its own.
    ours: [...given.map(({ oid }) => oid), ...(agent === null ? [] : [tip])],
    signer: agent === null ? null : { identity: agentIdentity(agent), began: null, now },
  });
  if (violations.length === 0) context.decided.record([work]);
  return violations.map((violation) => `${task.id}: [${violation.rule}] ${describeViolation(violation)}`);
}

/** Describes a violation and its place in one sentence; most explanations open with the path already. */
export function describeViolation({ where, details }: Violation): string {
  return details.startsWith(where) ? details : `${where}: ${details}`;
}
