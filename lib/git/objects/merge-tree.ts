import { FlameError } from '../../domain/flame-error.ts';
import { type ObjectId, parseObjectId } from '../../domain/ids.ts';
import type { MergeResult, TransplantResult } from '../../domain/ports/git-commits.ts';
import { type GitContext, gitFailedError, runGit, runGitForText } from '../process/run-git.ts';
import { writeUnsignedCommit } from './commit-tree.ts';
import { type GitAccess, gitOnObjects } from './git-access.ts';
import { requireObject } from './object-source.ts';
import { findInTree, folderModeInTree, type GitTreeEntry, parseTree } from './read-tree.ts';

/**
 * Merges two commits without a work tree; the tree is written to the repository. Throws FlameError
 * `unrelated-histories`, or `git-failed` where an object is missing.
 */
export async function mergeTree(context: GitContext, ours: ObjectId, theirs: ObjectId): Promise<MergeResult> {
  const args = ['merge-tree', '--write-tree', '-z', '--name-only', '--messages', ours, theirs];
  const result = await runGit(context, args, { accept: [0, 1, 128] });
  if (result.stderr.includes('unrelated histories')) throw unrelated(ours, theirs);
  // Some failures of git 2.39 end with 1 as well, but then nothing is printed.
  if (result.exitCode === 128 || result.stdout.length === 0) throw failed(ours, theirs, result.stderr);
  return parseMerge(result.stdout.toString(), result.exitCode === 0);
}

/** tree NUL, conflicted paths each with NUL, NUL; then messages: count, that many paths, type, text. */
function parseMerge(text: string, isClean: boolean): MergeResult {
  const [first = '', ...tokens] = text.split('\0');
  const tree = parseObjectId(first);
  if (isClean) return { kind: 'clean', tree };
  const end = tokens.indexOf('');
  return {
    kind: 'conflict',
    tree,
    paths: [...new Set(tokens.slice(0, end))],
    messages: parseMessages(tokens.slice(end + 1)),
  };
}

function parseMessages(tokens: readonly string[]): string[] {
  const messages: string[] = [];
  for (let at = 0; at + 2 < tokens.length; ) {
    const type = at + 1 + Number(tokens[at]);
    if (tokens[type]?.startsWith('CONFLICT')) messages.push((tokens[type + 1] ?? '').trim());
    at = type + 2;
  }
  return messages;
}

function unrelated(ours: ObjectId, theirs: ObjectId): FlameError {
  return new FlameError({
    kind: 'refused',
    code: 'unrelated-histories',
    message: `${ours} and ${theirs} have no common history, so they can't be merged.`,
    hints: [`git merge-base ${ours} ${theirs}`],
  });
}

function failed(ours: ObjectId, theirs: ObjectId, stderr: string): FlameError {
  return gitFailedError(`git merge-tree could not merge ${theirs} into ${ours}.`, {
    hints: ['git fsck'],
    details: stderr.split('\n').slice(0, 10),
  });
}

/**
 * Returns the tree that `tip` would have, had its change since `start` been made on `onto`. A file in which both
 * changed the same lines is as in `tip`: the result has no conflict markers. Each may be a commit or a tree.
 */
export async function transplantChange(
  access: GitAccess,
  context: GitContext,
  ends: { readonly onto: ObjectId; readonly start: ObjectId; readonly tip: ObjectId },
): Promise<TransplantResult> {
  const merge = await mergeDifferenceOnto(access, context, ends);
  if (merge.kind === 'clean') return { tree: merge.tree, clashes: [] };
  const tipTree = (await runGitForText(context, ['rev-parse', '--verify', `${ends.tip}^{tree}`])) as ObjectId;
  const rows = await findInTree(access.objects, ends.tip, merge.paths);
  const edits = merge.paths.map((path) => ({ path: toBytes(path).split('/'), row: rows.get(path) ?? null }));
  const tree = await replaceEntries(access, merge.tree, edits);
  // A file in the place of a folder: then all of it is as it was.
  return { tree: tree ?? tipTree, clashes: merge.paths };
}

function toBytes(path: string): string {
  return Buffer.from(path).toString('latin1');
}

const submoduleMode = '160000';

interface Edit {
  /** The names on the way to it. */
  readonly path: readonly string[];
  /** null: it goes. */
  readonly row: GitTreeEntry | null;
}

/** A tree with other entries; null where one of them can't be there. Names are bytes. */
async function replaceEntries(access: GitAccess, tree: ObjectId, edits: readonly Edit[]): Promise<ObjectId | null> {
  const { bytes } = await requireObject(tree, access.objects.read(tree));
  const rows = new Map(parseTree(bytes, tree.length / 2).map((row) => [row.name, row]));
  for (const name of new Set(edits.map(({ path }) => path[0] ?? ''))) {
    const here = edits.filter(({ path }) => path[0] === name);
    const own = here.find(({ path }) => path.length === 1);
    const known = rows.get(name);
    if (own !== undefined && here.length > 1) return null;
    if (own?.row === null) rows.delete(name);
    else if (own !== undefined) rows.set(name, { ...own.row, name });
    else if (known?.mode !== folderModeInTree) return null;
    else {
      const below = here.map(({ path, row }) => ({ path: path.slice(1), row }));
      const oid = await replaceEntries(access, known.oid, below);
      if (oid === null) return null;
      rows.set(name, { ...known, oid });
    }
  }
  // A submodule's commit is in another repository.
  const input = Buffer.from([...rows.values()].map(renderRow).join(''), 'latin1');
  return parseObjectId(await runGitForText(gitOnObjects(access), ['mktree', '-z', '--missing'], { input }));
}

function renderRow({ mode, name, oid }: GitTreeEntry): string {
  const type = mode === folderModeInTree ? 'tree' : mode === submoduleMode ? 'commit' : 'blob';
  return `${mode} ${type} ${oid}\t${name}\0`;
}

/** The tree of a commit with other texts in some of its files, which keep their modes. Throws an Error where one is not there. */
export async function replaceTexts(
  access: GitAccess,
  { oid: commit, tree }: { readonly oid: ObjectId; readonly tree: ObjectId },
  texts: ReadonlyMap<string, string>,
): Promise<ObjectId> {
  const rows = await findInTree(access.objects, commit, [...texts.keys()]);
  const edits = await Promise.all(
    [...texts].map(async ([path, text]) => {
      const row = rows.get(path);
      if (row === undefined) throw new Error(`${path} is not in ${commit}`);
      const oid = await runGitForText(gitOnObjects(access), ['hash-object', '-w', '--stdin'], {
        input: text,
      });
      return { path: toBytes(path).split('/'), row: { ...row, oid: parseObjectId(oid) } };
    }),
  );
  const made = await replaceEntries(access, tree, edits);
  if (made === null) throw new Error(`${[...texts.keys()].join(', ')} can't be replaced in ${commit}`);
  return made;
}

/**
 * Merges the difference between two commits onto a third, by contents alone. `git merge-tree --merge-base` came with
 * git 2.40; the same is a merge of two commits whose only ancestor has the tree of `start`. Nothing refers to these.
 */
export async function mergeDifferenceOnto(
  access: GitAccess,
  context: GitContext,
  { onto, start, tip }: { readonly onto: ObjectId; readonly start: ObjectId; readonly tip: ObjectId },
): Promise<MergeResult> {
  const stand = (commit: ObjectId, parents: readonly ObjectId[]): Promise<ObjectId> =>
    writeUnsignedCommit(access, context, {
      tree: `${commit}^{tree}`,
      parents,
      message: 'Stands in for a merge\n',
    });
  const ancestor = await stand(start, []);
  return mergeTree(context, await stand(onto, [ancestor]), await stand(tip, [ancestor]));
}
