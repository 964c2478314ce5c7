import { lstatSync, readFileSync, realpathSync, type Stats } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { Repository } from '../../domain/ports/git-port.ts';
import type { GitContext } from './run-git.ts';

// Most repositories are a work tree with its git folder in it, of the user alone, and nothing else about them matters to
// where they are. Then git need not be started to find them. Whatever is otherwise, or not understood here, is git's to say.

export type RepositoryFacts = Omit<Repository, 'mainWorkTree' | 'gitVersion'>;

// What else git finds a repository by, or lets it not find one.
const otherwise =
  /^GIT_(?:DIR|WORK_TREE|COMMON_DIR|CEILING_DIRECTORIES|DISCOVERY_ACROSS_FILESYSTEM|TEST_.*)$/;

/** What git says of the repository around a folder, where that is plain to see; null: git has to be asked. */
export function findPlainly({ cwd, env, variables }: GitContext): RepositoryFacts | null {
  const names = [...Object.keys(env), ...Object.keys(variables ?? {})];
  if (names.some((name) => otherwise.test(name))) return null;
  try {
    const here = realpathSync(cwd);
    const workTree = findTop(here);
    return workTree === null ? null : readFacts(workTree, relative(workTree, here));
  } catch {
    return null;
  }
}

/** The folder with `.git` in it, at or above another; null: git may see it otherwise, or there is none. */
function findTop(here: string): string | null {
  const device = lstatSync(here).dev;
  for (let folder = here; ; folder = dirname(folder)) {
    if (lstatSync(folder).dev !== device) return null;
    if (look(join(folder, '.git')) !== undefined) return folder;
    // A bare repository, or the inside of one.
    if (look(join(folder, 'HEAD')) !== undefined || dirname(folder) === folder) return null;
  }
}

function readFacts(workTree: string, below: string): RepositoryFacts | null {
  const gitDir = join(workTree, '.git');
  const user = process.geteuid?.();
  if (lstatSync(workTree).uid !== user || lstatSync(gitDir).uid !== user) return null;
  const folders = [gitDir, join(gitDir, 'objects'), join(gitDir, 'refs')];
  if (!folders.every((folder) => look(folder)?.isDirectory() === true)) return null;
  if (look(join(gitDir, 'commondir')) !== undefined || !isHead(join(gitDir, 'HEAD'))) return null;
  const objectFormat = readFormat(readFileSync(join(gitDir, 'config'), 'utf8'));
  if (objectFormat === null) return null;
  const prefix = below === '' ? '' : `${below}/`;
  return { commonDir: gitDir, gitDir, workTree, prefix, isBare: false, objectFormat };
}

function isHead(file: string): boolean {
  return (
    look(file)?.isFile() === true &&
    /^(?:ref: refs\/[\x21-\x7e]+|[0-9a-f]{40}|[0-9a-f]{64})\n$/.test(readFileSync(file, 'latin1'))
  );
}

/** The format of objects that a repository's own settings say; null where they, or how they are written, are not plain. */
export function readFormat(config: string): Repository['objectFormat'] | null {
  const values = new Map<string, string>();
  let section = '';
  for (const line of config.split('\n').map((text) => text.trim())) {
    if (line === '' || line.startsWith('#') || line.startsWith(';')) continue;
    const [, name, about = ''] = /^\[([\w.-]+)(?: ("[^"\\]*"))?\]$/.exec(line) ?? [];
    const [, key, value = ''] = /^([A-Za-z][\w-]*)(?:\s*=\s*(.*))?$/.exec(line) ?? [];
    if (line.endsWith('\\') || (name === undefined && key === undefined)) return null;
    if (name !== undefined) section = `${name}${about}`.toLowerCase();
    else values.set(`${section}.${key}`.toLowerCase(), value);
  }
  const { bare, version, format, isOdd } = tellingValues(values);
  if (isOdd || bare !== 'false') return null;
  if (version === '0') return format === undefined ? 'sha1' : null;
  if (version !== '1') return null;
  return format === undefined || format === 'sha1' ? 'sha1' : format === 'sha256' ? format : null;
}

function tellingValues(values: ReadonlyMap<string, string>) {
  const names = [...values.keys()];
  const format = 'extensions.objectformat';
  return {
    bare: values.get('core.bare'),
    version: values.get('core.repositoryformatversion'),
    format: values.get(format),
    isOdd: names.some(
      (name) => name === 'core.worktree' || (name.startsWith('extensions') && name !== format),
    ),
  };
}

/** undefined: there is nothing. Throws where it can't be looked at. */
function look(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false });
}
