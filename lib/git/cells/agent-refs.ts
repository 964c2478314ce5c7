import { lstatSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ObjectId, objectIdPattern, parseObjectId } from '../../domain/ids.ts';
import { listEntriesIn, readTextOrEmpty } from '../../util/read-file.ts';
import { type GitAccess, gitOnObjects } from '../objects/git-access.ts';
import { runGitForLines } from '../process/run-git.ts';
import { findReftable } from '../refs/reftable.ts';

/** The name of the common folder of an agent's git in its private git folder. */
export const agentCommonFolderName = 'common';
/** The attributes that hide files from the git of a cell, in the same folder; see hideContentsFromAgentGit. */
export const hiddenPathsAttributesFile = join(agentCommonFolderName, 'info', 'attributes');

// The tool's own state, and what the person has put aside.
const notShown = /^refs\/(?:blueflame\/|stash$)/;
const mostRefs = 20_000;
// No hook but those that a cell's variables put in force: an agent can write the folder where others would lie.
const ownSettings = '[core]\n\tbare = false\n\tlogAllRefUpdates = true\n\thooksPath = /dev/null\n';
const longestFile = 64 * 1024 ** 2;

/**
 * Makes the common folder of an agent's git: the repository's refs as they stand now, to be moved as the agent likes
 * and gone with it, and settings and objects that are read. Its branches, tags and stash never reach the repository.
 */
export async function makeAgentCommonFolder(access: GitAccess, gitDir: string): Promise<void> {
  const { commonDir } = access.repository;
  const folder = join(gitDir, agentCommonFolderName);
  for (const made of ['refs/heads', 'refs/tags', 'info']) mkdirSync(join(folder, made), { recursive: true });
  // For a git without a cell's variables, which say where else to look.
  symlinkSync('../../../../../objects', join(folder, 'objects'));
  writeFileSync(join(folder, 'HEAD'), readFileSync(join(gitDir, 'HEAD')));
  for (const name of ['info/attributes', 'info/exclude', 'shallow']) {
    const text = readTextOrEmpty(join(commonDir, name));
    if (text !== '') writeFileSync(join(folder, name), text);
  }
  const settings = (await access.quietConfig()).replace(/^\[extensions\]\n\trefstorage = .*\n/m, '');
  writeFileSync(join(folder, 'config'), `${settings}${ownSettings}`);
  const refs = await readRefs(access);
  const lines = refs.filter(([ref]) => !notShown.test(ref)).map(([ref, id]) => `${id} ${ref}\n`);
  if (lines.length > 0) writeFileSync(join(folder, 'packed-refs'), lines.sort().join(''));
}

type Refs = readonly (readonly [ref: string, id: string])[];

async function readRefs(access: GitAccess): Promise<Refs> {
  const { commonDir } = access.repository;
  if (findReftable(commonDir) === null) return [...readRefFiles(commonDir)];
  const lines = await runGitForLines(gitOnObjects(access), ['for-each-ref', '--format=%(objectname) %(refname)']);
  return lines.map((line) => {
    const at = line.indexOf(' ');
    return [line.slice(at + 1), line.slice(0, at)];
  });
}

/** Refs by git's own files; those that lead to others are left out. An agent may have written any of them. */
function readRefFiles(commonDir: string): ReadonlyMap<string, string> {
  const refs = new Map<string, string>();
  for (const line of readPlain(join(commonDir, 'packed-refs')).split('\n')) {
    const [, id, ref] = /^([0-9a-f]+) (refs\/\S+)$/.exec(line) ?? [];
    if (id !== undefined && ref !== undefined) refs.set(ref, id);
  }
  for (const path of filesBelow(join(commonDir, 'refs'))) {
    const id = readPlain(join(commonDir, 'refs', path)).trim();
    if (objectIdPattern.test(id)) refs.set(`refs/${path}`, id);
  }
  return refs;
}

/** Reads the commit of an agent's own branch; null: its files don't show one. */
export function readAgentBranchTip(gitDir: string, name: string): ObjectId | null {
  const folder = join(gitDir, agentCommonFolderName);
  let ref = name;
  for (let steps = 0; steps < 5; steps += 1) {
    const isPlain = ref.split('/').every((part) => part !== '' && part !== '.' && part !== '..');
    const text = isPlain && isInside(folder, ref) ? readPlain(join(folder, ref)).trim() : '';
    const next = /^ref: (refs\/\S+)$/.exec(text)?.[1];
    if (next === undefined) {
      const id = objectIdPattern.test(text) ? text : (readRefFiles(folder).get(ref) ?? '');
      return objectIdPattern.test(id) ? parseObjectId(id) : null;
    }
    ref = next;
  }
  return null;
}

/** All that an agent's HEAD, refs and their logs ever named, as they are written: of some there may be no object. */
export function listCommitsAgentNamed(gitDir: string): ReadonlySet<ObjectId> {
  const folder = join(gitDir, agentCommonFolderName);
  const logs = [join(gitDir, 'logs'), join(folder, 'logs')].flatMap((at) =>
    filesBelow(at).map((path) => readPlain(join(at, path))),
  );
  const heads = ['HEAD', 'ORIG_HEAD'].map((name) => readPlain(join(gitDir, name)).trim());
  const named = logs.flatMap((text) => text.split('\n').map((line) => line.split(' ', 2)[1] ?? ''));
  const all = [...heads, ...readRefFiles(folder).values(), ...named];
  return new Set(all.filter((id) => objectIdPattern.test(id)).map(parseObjectId));
}

/** Whether no link stands on the way to a file. */
function isInside(folder: string, path: string): boolean {
  const parts = path.split('/').slice(0, -1);
  return parts.every((_, at) => {
    const way = join(folder, ...parts.slice(0, at + 1));
    return lstatSync(way, { throwIfNoEntry: false })?.isDirectory() ?? false;
  });
}

/** Paths of the files below a folder, without links and what else may stand there. */
function filesBelow(root: string): readonly string[] {
  const found: string[] = [];
  const waiting = [''];
  for (let folder = waiting.pop(); folder !== undefined && found.length < mostRefs; folder = waiting.pop()) {
    for (const entry of listEntriesIn(join(root, folder))) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) waiting.push(path);
      else if (entry.isFile() && !entry.name.endsWith('.lock')) found.push(path);
    }
  }
  return found;
}

/** Nothing of what is no plain file, or too long for one. */
function readPlain(file: string): string {
  try {
    const facts = lstatSync(file, { throwIfNoEntry: false });
    return facts?.isFile() === true && facts.size <= longestFile ? readFileSync(file, 'latin1') : '';
  } catch {
    return '';
  }
}
