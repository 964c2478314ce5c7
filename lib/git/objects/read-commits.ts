import { isUtf8 } from 'node:buffer';
import { type ObjectId, parseObjectId } from '../../domain/ids.ts';
import { noCommitError } from '../../domain/input-errors.ts';
import type { CommitInfo, GitCommits } from '../../domain/ports/git-commits.ts';
import { type GitContext, runGit, runGitForLines } from '../process/run-git.ts';
import type { ObjectSource } from './object-source.ts';

// rev-list, unlike log, obeys no log.* setting, one of which starts gpg.
const format = '--format=%H%x00%T%x00%P%x00%an <%ae>%x00%cn <%ce>%x00%at%x00%ct%x00%B%x00';
const fieldsEach = 8;
const listing = ['rev-list', '--no-commit-header', '--encoding=UTF-8', format];

/** One commit. Throws FlameError `no-such-commit`. */
export async function readCommit(context: GitContext, objects: ObjectSource, commit: ObjectId): Promise<CommitInfo> {
  return (await readPlain(objects, commit)) ?? (await askGit(context, commit));
}

/** Without starting git, where that's safe. */
async function readPlain(objects: ObjectSource, commit: ObjectId): Promise<CommitInfo | null> {
  const object = await objects.read(commit);
  return object?.type === 'commit' ? parseCommit(commit, object.bytes) : null;
}

async function askGit(context: GitContext, commit: ObjectId): Promise<CommitInfo> {
  const result = await runGit(context, [...listing, '--max-count=1', '--end-of-options', commit], {
    accept: [0, 128],
  });
  const [info] = parseCommits(result.stdout.toString());
  if (result.exitCode === 0 && info !== undefined) return info;
  throw noCommitError(`Commit ${commit} can't be read.`, {
    kind: 'refused',
    hints: [`git cat-file -t ${commit}`],
    details: result.stderr.split('\n').slice(0, 5),
  });
}

/** Commits of base..tip, parents before children. */
export async function readCommitsBetween(
  context: GitContext,
  objects: ObjectSource,
  base: ObjectId,
  tip: ObjectId,
): Promise<readonly CommitInfo[]> {
  if (base === tip) return [];
  const last = await readPlain(objects, tip);
  if (last?.parents.length === 1 && last.parents[0] === base) return [last];
  const { stdout } = await runGit(context, [...listing, '--reverse', '--topo-order', `${base}..${tip}`]);
  return parseCommits(stdout.toString());
}

/** So many fields a commit, each ended by NUL, and a newline after the last. */
function parseCommits(text: string): CommitInfo[] {
  const fields = text.split('\0');
  return Array.from({ length: Math.floor(fields.length / fieldsEach) }, (_, index) => {
    const [oid = '', tree = '', parents = '', ...rest] = fields.slice(index * fieldsEach, (index + 1) * fieldsEach);
    const [author = '', committer = '', authored = '', committed = '', message = ''] = rest;
    return {
      oid: parseObjectId(oid.trimStart()),
      tree: parseObjectId(tree),
      parents: parents
        .split(' ')
        .filter((parent) => parent !== '')
        .map(parseObjectId),
      author,
      committer,
      authored: parseTime(authored),
      committed: parseTime(committed),
      message,
    };
  });
}

/** git prints nothing of a time it can't read. */
function parseTime(text: string): number {
  return text === '' ? Number.NaN : Number(text);
}

const plainName = /^[^<>\s](?:[^<>]*[^<>\s])? <[^<>\s]*>$/;
const plainTime = /^(?:0|[1-9]\d{0,11})$/;

/** Parses a commit as `git rev-list` would report it; null where only git can: other encodings, odd headers. */
export function parseCommit(oid: ObjectId, bytes: Buffer): CommitInfo | null {
  if (!isUtf8(bytes) || bytes.includes(0)) return null;
  const text = bytes.toString();
  const end = text.indexOf('\n\n');
  const header = text.slice(0, end);
  const found =
    /^tree ([0-9a-f]+)\n((?:parent [0-9a-f]+\n)*)author (.*) (\d+) [+-]\d+\ncommitter (.*) (\d+) [+-]\d+(?:\n|$)/.exec(
      header,
    );
  const [, tree = '', parents = '', author = '', authored = '', committer = '', committed = ''] = found ?? [];
  // The first line of the message follows one empty line; what else may stand there, git knows.
  if (end < 0 || text[end + 2] === '\n' || /^encoding /m.test(header)) return null;
  if (![author, committer].every((name) => plainName.test(name))) return null;
  if (![authored, committed].every((time) => plainTime.test(time))) return null;
  return {
    oid,
    tree: tree as ObjectId,
    parents: [...parents.matchAll(/[0-9a-f]{40,}/g)].map(([parent]) => parent as ObjectId),
    author,
    committer,
    authored: Number(authored),
    committed: Number(committed),
    message: text.slice(end + 2),
  };
}

/** Whether a commit leads to another. `mayMiss`: one that is not there leads nowhere, rather than to an error. */
export async function isAncestor(
  git: GitContext,
  {
    ancestor,
    descendant,
    mayMiss,
  }: { readonly ancestor: string; readonly descendant: string; readonly mayMiss?: true },
): Promise<boolean> {
  const args = ['merge-base', '--is-ancestor', ancestor, descendant];
  return (await runGit(git, args, { accept: mayMiss === true ? [0, 1, 128] : [0, 1] })).exitCode === 0;
}

/** How commits descend from each other, by git. */
export function openCommitGraph(
  objects: GitContext,
): Pick<GitCommits, 'isAncestor' | 'dropContainedCommits' | 'mergeBase'> {
  return {
    isAncestor: async (ancestor, descendant) =>
      ancestor === descendant || (await isAncestor(objects, { ancestor, descendant })),
    dropContainedCommits: async (commits) => {
      const all = [...new Set(commits)];
      if (all.length < 2) return all;
      const kept = await runGitForLines(objects, ['merge-base', '--independent', ...all]);
      return all.filter((commit) => kept.includes(commit));
    },
    mergeBase: async (one, other) => {
      const { exitCode, stdout } = await runGit(objects, ['merge-base', one, other], { accept: [0, 1] });
      return exitCode === 0 ? parseObjectId(stdout.toString().trim()) : null;
    },
  };
}

/**
 * Where the history of a branch begins, by first parents: the same in every whole clone. null: there is no such branch,
 * or its beginning is cut off here.
 */
export async function findFirstCommitOfBranch(context: GitContext, branch: string): Promise<ObjectId | null> {
  const args = ['rev-list', '--first-parent', '--max-parents=0', `refs/heads/${branch}`, '--'];
  const { exitCode, stdout } = await runGit(context, args, { accept: [0, 128] });
  const [oid = ''] = stdout.toString().trim().split('\n');
  if (exitCode !== 0 || oid === '') return null;
  return (await isGrafted(context, oid)) ? null : parseObjectId(oid);
}

/** Whether a shallow clone cuts the history off at a commit that has parents elsewhere. */
async function isGrafted(context: GitContext, oid: string): Promise<boolean> {
  const { stdout } = await runGit(context, ['cat-file', 'commit', oid]);
  return /^tree .*\nparent /.test(stdout.toString());
}
