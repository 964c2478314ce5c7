import { judgePath, type PathContext } from '../judge-path.ts';
import { isHeavy, listTree } from '../judge-tree.ts';

/** Stands for what git prints as the name of something, where it isn't known. */
export const unknownRevision = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

/** The files and folders below some places, as a search that starts there names them; null: too many. */
export function filesBelow(
  context: PathContext,
  places: readonly string[],
  takes: (name: string) => boolean,
): readonly string[] | null {
  const found: string[] = [];
  for (const place of places) {
    const tree = listTree(context, place, { skips: isHeavy });
    if (tree === null) return null;
    for (const { below } of tree) {
      const name = (below === '' ? place : below).split('/').at(-1) ?? '';
      if (takes(name)) found.push(below === '' ? place : `${place.replace(/\/$/, '')}/${below}`);
    }
  }
  return found;
}

/**
 * A few names that represent all: one that may not be read, one that may not be written, one that may not be
 * removed, one that looks like an option, one that is several words, and an ordinary one. What is allowed for these is allowed for each.
 */
export function representatives(context: PathContext, names: readonly string[]): readonly string[] {
  const first = (test: (name: string) => boolean): readonly string[] =>
    names.filter((name) => test(name)).slice(0, 1);
  const isRefused = (access: 'read' | 'write' | 'remove') => (name: string) =>
    judgePath(context, name, access) !== null;
  const isFolder = (name: string): boolean =>
    context.facts.list(name.startsWith('/') ? name : `${context.cwd}/${name}`) !== null;
  const plain = names.filter((name) => name !== '' && !name.startsWith('-'));
  const files = plain.filter((name) => !isFolder(name));
  return [
    ...new Set([
      ...first((name) => name.startsWith('-')),
      ...plain.filter(isRefused('read')).slice(0, 1),
      ...files.filter(isRefused('write')).slice(0, 1),
      ...files.filter(isRefused('remove')).slice(0, 1),
      ...plain.filter(isFolder).slice(0, 1),
      ...files.slice(0, 1),
      ...commitsAmong(files),
    ]),
  ];
}

// Of these each is asked for by itself.
const mostCommits = 4;

/** Commits differ in what they show. */
function commitsAmong(names: readonly string[]): readonly string[] {
  const commits = names.filter((name) => /^[0-9a-f]{7,64}$/.test(name));
  return commits.length <= mostCommits ? commits : [unknownRevision];
}
