import { type BigIntStats, lstatSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ObjectId } from '../../domain/ids.ts';
import { replaceFile } from '../../util/replace-file.ts';
import type { GitAccess } from '../objects/git-access.ts';
import { writeLooseObject } from '../objects/loose-object.ts';
import { makeObject, type NewObject, type ObjectFormat } from '../objects/make-object.ts';
import { renderTree } from '../objects/parse-tree.ts';
import { type IndexEntry, modeOf, parseIndex, renderIndex, statOf } from './index-file.ts';
import type { CellPaths } from './paths.ts';

// Beyond these git is faster, and reads files by parts.
const mostPaths = 100;
const mostEntries = 2_000;
const mostBytes = 4 * 1024 * 1024;
// Names that mean the same on every file system, and nothing to git.
const plainName =
  /^(?:(?!\.git|\.{1,2}\/)[A-Za-z0-9._][\w.+@ =,-]*\/)*(?!\.git|\.{1,2}$)[A-Za-z0-9._][\w.+@ =,-]*$/i;

interface Staged {
  readonly workTree: string;
  readonly places: CellPaths;
  readonly paths: readonly string[];
}

/**
 * What stagePaths does, without a process: for few, small, plain files of a work tree without attributes, whose index
 * is that of HEAD. null where git has to, nothing being changed then but for objects nobody refers to.
 */
export async function stageFew(
  access: GitAccess,
  { workTree, places, paths }: Staged,
): Promise<ObjectId | null> {
  if (paths.length > mostPaths || !paths.every((path) => plainName.test(path))) return null;
  const format = access.repository.objectFormat;
  const index = join(places.ownGitDir, 'index');
  const before = parseIndex(readFileSync(index), format);
  if (before === null || before.length > mostEntries || before.some(hasAttributes)) return null;
  const files = readFiles(workTree, paths);
  if (files === null || !(await access.keepsContent())) return null;
  const { loose } = await access.signature();
  const write = (object: NewObject): void => writeLooseObject(places.intake, object, loose);
  const entries = new Map(before.map((entry) => [entry.path, entry]));
  for (const path of paths) entries.delete(path);
  for (const { path, content, facts } of files) {
    const blob = makeObject(format, 'blob', content);
    write(blob);
    const mode = (facts.mode & 0o100n) === 0n ? 0o100644 : 0o100755;
    entries.set(path, { path, oid: blob.oid, stat: statOf(facts, mode) });
  }
  const after = [...entries.values()];
  if (hasFileAsFolder(after)) return null;
  const touched = new Set(paths.flatMap(foldersAbove));
  const tree = treeOf(after, '', { format, write: (made, folder) => touched.has(folder) && write(made) });
  replaceFile(index, renderIndex(after, format));
  return tree;
}

function hasAttributes({ path }: IndexEntry): boolean {
  return path === '.gitattributes' || path.endsWith('/.gitattributes');
}

interface FoundFile {
  readonly path: string;
  readonly content: Buffer;
  readonly facts: BigIntStats;
}

/** Those that are there; null where one is no plain file, lies behind a link, or they are too large together. */
function readFiles(workTree: string, paths: readonly string[]): readonly FoundFile[] | null {
  const found: FoundFile[] = [];
  let bytes = 0n;
  for (const path of paths) {
    const facts = factsOf(join(workTree, path));
    if (facts === null) continue;
    const isBehindLink = foldersAbove(path).some(
      (folder) => factsOf(join(workTree, folder))?.isDirectory() !== true,
    );
    bytes += facts.size;
    if (isBehindLink || !facts.isFile() || (facts.mode & 0o400n) === 0n || bytes > mostBytes) return null;
    found.push({ path, facts, content: readFileSync(join(workTree, path)) });
  }
  return found;
}

function factsOf(path: string): BigIntStats | null {
  try {
    return lstatSync(path, { bigint: true, throwIfNoEntry: false }) ?? null;
  } catch {
    // Below what is no folder any more.
    return null;
  }
}

/** `a/b/c` lies in `a/b`, `a` and the root, whose name is ''. */
function foldersAbove(path: string): readonly string[] {
  const folder = dirname(path);
  return folder === '.' ? [''] : [folder, ...foldersAbove(folder)];
}

function hasFileAsFolder(entries: readonly IndexEntry[]): boolean {
  const files = new Set(entries.map(({ path }) => path));
  return entries.some(({ path }) => foldersAbove(path).some((folder) => files.has(folder)));
}

interface TreeWriter {
  readonly format: ObjectFormat;
  write(tree: NewObject, folder: string): void;
}

/** The tree of what lies below a folder; its name ends with a slash, but for the root's. */
function treeOf(entries: readonly IndexEntry[], prefix: string, writer: TreeWriter): ObjectId {
  const below = new Map<string, IndexEntry[]>();
  for (const entry of entries) {
    const [name = ''] = entry.path.slice(prefix.length).split('/', 1);
    const known = below.get(name);
    if (known === undefined) below.set(name, [entry]);
    else known.push(entry);
  }
  const rows = [...below].map(([name, inside]) => {
    const path = `${prefix}${name}`;
    const [only] = inside;
    if (only?.path === path) return { mode: modeOf(only).toString(8), name, oid: only.oid };
    return { mode: '40000', name, oid: treeOf(inside, `${path}/`, writer) };
  });
  const tree = makeObject(writer.format, 'tree', renderTree(rows));
  writer.write(tree, prefix.slice(0, -1));
  return tree.oid;
}
