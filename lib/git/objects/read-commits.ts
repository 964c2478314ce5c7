import { noCommit } from '../../domain/bad-input.ts';
import { type ObjectId, parseObjectId } from '../../domain/ids.ts';
import type { CommitInfo } from '../../domain/ports/git-commits.ts';
import { type GitContext, runGit } from '../process/run-git.ts';
import type { ObjectSource } from './object-source.ts';
import { parseCommit } from './parse-commit.ts';

// rev-list, unlike log, obeys no log.* setting, one of which starts gpg.
const format = '--format=%H%x00%T%x00%P%x00%an <%ae>%x00%cn <%ce>%x00%at%x00%ct%x00%B%x00';
const fieldsEach = 8;
const listing = ['rev-list', '--no-commit-header', '--encoding=UTF-8', format];

/** One commit. Throws FlameError `no-such-commit`. */
export async function readCommit(
  context: GitContext,
  objects: ObjectSource,
  commit: ObjectId,
): Promise<CommitInfo> {
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
  throw noCommit(`Commit ${commit} can't be read.`, {
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
    const [oid = '', tree = '', parents = '', ...rest] = fields.slice(
      index * fieldsEach,
      (index + 1) * fieldsEach,
    );
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
