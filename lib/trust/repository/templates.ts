import { dirname, extname, join, resolve } from 'node:path';
import { FlameError } from '../../domain/flame-error.ts';
import { isFolder, namesIn } from '../../util/read-file.ts';
import { byText } from '../../util/sort-and-group.ts';
import { type ReadFile, readFileOnce } from './file.ts';

const mostFiles = 200;
const deepest = 8;
const includes = /\binclude\s*\(\s*(["'`])((?:(?!\1).)+)\1/g;

/**
 * The repository's own templates, read, and every file they name in an `include`; none where no template is there.
 * Throws a FlameError `templates-too-many`.
 */
export function readTemplates(folder: string): readonly ReadFile[] {
  const found = new Map<string, ReadFile>();
  const waiting = listTemplates(folder, folder, 0);
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (found.has(path)) continue;
    const file = readFileOnce(path);
    if (file === null) continue;
    if (file.bytes === null) throw tooMany(folder);
    found.set(path, file);
    if (found.size > mostFiles) throw tooMany(folder);
    waiting.push(...includedBy(file));
  }
  return [...found.values()].sort((a, b) => byText(a.path, b.path));
}

function listTemplates(folder: string, top: string, depth: number): string[] {
  if (depth > deepest) throw tooMany(top);
  return namesIn(folder).flatMap((name) => {
    const path = join(folder, name);
    if (isFolder(path)) return listTemplates(path, top, depth + 1);
    return name.endsWith('.ejs') ? [path] : [];
  });
}

function includedBy({ path, bytes }: ReadFile): string[] {
  return [...textOf(bytes).matchAll(includes)].map(([, , name = '']) => {
    const file = name.startsWith('/') ? resolve(name) : resolve(dirname(path), name);
    return extname(name) === '' ? `${file}.ejs` : file;
  });
}

function textOf(bytes: Buffer | null): string {
  return bytes?.toString() ?? '';
}

function tooMany(folder: string): FlameError {
  return new FlameError({
    kind: 'environment',
    code: 'templates-too-many',
    message: `${folder} holds or includes more than ${mostFiles} templates, one of many megabytes, or nests them too deeply.`,
    hints: [`ls -R ${folder}`],
  });
}
