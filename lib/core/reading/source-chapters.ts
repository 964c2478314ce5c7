import type { Task } from '../../domain/state/task-schema.ts';
import { compareText, groupBy } from '../../util/sort-and-group.ts';
import { listNamesToFollow } from './changed-names.ts';
import type { ChangedText } from './changed-text.ts';
import type { FileLinks } from './file-links.ts';

/** What decides which source file a changeset is about. */
export interface OrderFacts {
  readonly links: FileLinks;
  readonly tasks: readonly Pick<Task, 'title' | 'file_locks'>[];
}

/** Source files that are read together. */
export interface SourceChapter {
  readonly kind: 'subject' | 'consequence';
  readonly title: string;
  readonly texts: readonly ChangedText[];
}

// A chapter that is longer is no beginning any more.
const mostOfSubject = 7;
const mostSubjects = 2;
const longChapter = 12;
const longRest = 24;
/** A second subject has at least this part of the files. */
const partOfSubject = 0.15;

/**
 * Divides changed source files into chapters. A subject is the file that most of the others stand on, with those it
 * stands on itself; what uses it follows, the nearest first. A second group of files that has no link to the first gets
 * a subject of its own where it is large; the rest comes last.
 */
export function makeSourceChapters(texts: readonly ChangedText[], facts: OrderFacts): readonly SourceChapter[] {
  const scores = scoreFiles(texts, facts);
  const byScore = [...texts].sort(
    (a, b) => (scores.get(b.path) ?? 0) - (scores.get(a.path) ?? 0) || compareText(a.path, b.path),
  );
  const groups = findLinkedGroups(byScore, facts.links);
  const chapters: SourceChapter[] = [];
  const others: ChangedText[] = [];
  for (const group of groups) {
    const subjects = chapters.filter(({ kind }) => kind === 'subject').length;
    const isLarge = group.length > 2 && group.length >= partOfSubject * texts.length;
    if (subjects === 0 || (subjects < mostSubjects && isLarge)) chapters.push(...chaptersOf(group, facts.links));
    else others.push(...group);
  }
  return [...chapters, ...splitByFolder(others, 'Also changed', longRest)];
}

/**
 * How much a file is what the change is about: how many changed files use it counts most, then how much of it changed,
 * whether its public names did, and whether the titles of the tasks and their locks name it.
 */
function scoreFiles(texts: readonly ChangedText[], { links, tasks }: OrderFacts): ReadonlyMap<string, number> {
  const users = new Map<string, number>();
  for (const { path } of texts) for (const used of links.get(path) ?? []) users.set(used, (users.get(used) ?? 0) + 1);
  const titles = new Set(tasks.flatMap(({ title }) => wordsOfName(title)));
  const locks = new Set(tasks.flatMap(({ file_locks: all }) => all));
  return new Map(
    texts.map((text) => {
      const { path, file, realLines } = text;
      const isGone = file.status === 'deleted';
      const named = new Set(wordsOfName(path).filter((word) => titles.has(word))).size;
      const score =
        (isGone ? -10 : 3 * Math.min(users.get(path) ?? 0, 5)) +
        2 * Math.log2(1 + realLines) +
        2 * Math.min(named, 3) +
        2 * Math.min(listNamesToFollow(text.names).length, 2) +
        (locks.has(path) ? 1 : 0) +
        (text.language === 'other' ? -6 : 0);
      return [path, score] as const;
    }),
  );
}

/** `lib/auth/parseToken.ts` as lib, auth, parse, token. */
function wordsOfName(text: string): readonly string[] {
  const parts =
    text
      .replace(/([a-z\d])([A-Z])/g, '$1 $2')
      .toLowerCase()
      .match(/[\p{L}\d]{4,}/gu) ?? [];
  return parts.map((word) => (word.length > 4 ? word.replace(/s$/, '') : word));
}

/** Files that are linked with each other in any way, in the order of the first of each. */
function findLinkedGroups(texts: readonly ChangedText[], links: FileLinks): readonly (readonly ChangedText[])[] {
  const parents = new Map(texts.map(({ path }) => [path, path]));
  const rootOf = (path: string): string => {
    let root = path;
    for (let up = parents.get(root); up !== undefined && up !== root; up = parents.get(root)) root = up;
    parents.set(path, root);
    return root;
  };
  for (const { path } of texts)
    for (const used of links.get(path) ?? []) if (parents.has(used)) parents.set(rootOf(used), rootOf(path));
  return [...groupBy(texts, ({ path }) => rootOf(path)).values()];
}

/** The subject of a linked group and what follows from it; `group`: the weightiest first. */
function chaptersOf(group: readonly ChangedText[], links: FileLinks): readonly SourceChapter[] {
  const [heart] = group;
  if (heart === undefined) return [];
  const below = links.get(heart.path) ?? new Set();
  const isBeside = (text: ChangedText): boolean => below.has(text.path);
  const subject = [heart, ...group.filter((text) => text !== heart && isBeside(text))].slice(0, mostOfSubject);
  const rest = sortByDistance(group, subject, links);
  return [
    { kind: 'subject', title: nameOf(subject), texts: subject },
    ...splitByFolder(rest, 'What follows', longChapter),
  ];
}

/** The others of a group: those that use the subject, then those that use these, and so on. */
function sortByDistance(
  group: readonly ChangedText[],
  subject: readonly ChangedText[],
  links: FileLinks,
): readonly ChangedText[] {
  let near = new Set(subject.map(({ path }) => path));
  let left = group.filter(({ path }) => !near.has(path));
  const sorted: ChangedText[] = [];
  while (left.length > 0 && near.size > 0) {
    const now = near;
    const next = left.filter(({ path }) => [...(links.get(path) ?? [])].some((used) => now.has(used)));
    sorted.push(...next);
    near = new Set(next.map(({ path }) => path));
    left = left.filter(({ path }) => !near.has(path));
  }
  return [...sorted, ...left];
}

const fewFiles = 3;

/** One chapter; of many files, one for each of the two folders that hold most of them, and one for the rest. */
function splitByFolder(texts: readonly ChangedText[], title: string, long: number): readonly SourceChapter[] {
  if (texts.length === 0) return [];
  const whole = (of: readonly ChangedText[], name: string): SourceChapter => ({
    kind: 'consequence',
    title: name,
    texts: of,
  });
  if (texts.length <= long) return [whole(texts, title)];
  const start = commonFolder(texts);
  const partOf = ({ path }: ChangedText): string => path.slice(start.length).split('/')[0] ?? '';
  const folders = [...groupBy(texts, partOf)].filter(([, of]) => of.length >= fewFiles);
  const large = folders.sort(([, a], [, b]) => b.length - a.length).slice(0, 2);
  const rest = texts.filter((text) => !large.some(([name]) => name === partOf(text)));
  const named = large.map(([name, of]) => whole(of, `${title} in ${start}${name}`));
  return [...named, ...(rest.length === 0 ? [] : [whole(rest, large.length === 0 ? title : `${title} elsewhere`)])];
}

/** The folder that all are in, with its slash; '' is the top. */
function commonFolder(texts: readonly ChangedText[]): string {
  const [first, ...rest] = texts.map(({ path }) => path.split('/').slice(0, -1));
  const shared = (first ?? []).filter((_, at, parts) =>
    rest.every((other) => parts.slice(0, at + 1).every((part, index) => other[index] === part)),
  );
  return shared.map((part) => `${part}/`).join('');
}

/** A single file by its path, several by their folder. */
function nameOf(texts: readonly ChangedText[]): string {
  const [first] = texts;
  if (first === undefined) return '';
  const folder = commonFolder(texts).replace(/\/$/, '');
  const isNear = folder.includes('/') || (folder !== '' && texts.every(({ path }) => path.split('/').length === 2));
  if (texts.length === 1) return first.path;
  return isNear ? folder : `${first.path} and ${texts.length - 1} more`;
}
