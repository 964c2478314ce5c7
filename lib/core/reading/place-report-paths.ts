import { posix } from 'node:path';
import type { CoverageText } from './coverage-reports.ts';
import { lastPart } from './file-links.ts';

/** The files that a report may mean. */
export interface Tree {
  /** The worktree the checks ran in, a whole path. */
  readonly root: string;
  readonly files: ReadonlySet<string>;
  readonly named: ReadonlyMap<string, readonly string[]>;
}

type Placed = (path: string) => string | undefined;

const mostSampled = 2_000;
const mostPairs = 50_000;
const mostUsed = 200;

/**
 * Finds the file of the tree that each path of a report means; none where two are as likely. A whole path of the
 * worktree is exact, a relative one is below a folder above the report. Paths of another machine, names of modules and
 * packages, and those of a report that was written elsewhere are known by where most of them are.
 */
export function placeReportPaths(
  paths: ReadonlySet<string>,
  report: Pick<CoverageText, 'roots' | 'isByModule'> & { readonly path: string },
  tree: Tree,
): Placed {
  const { roots } = report;
  const spread = (path: string): readonly string[] =>
    roots.length === 0 || isWhole(path) ? [path] : roots.map((root) => posix.join(root, path));
  const sample = [...paths].slice(0, mostSampled).flatMap(spread);
  const place = createPlace(sample, report, tree);
  return (path) => {
    const found = new Set(spread(path).flatMap((one) => place(one) ?? []));
    return found.size === 1 ? [...found][0] : undefined;
  };
}

function createPlace(
  sample: readonly string[],
  { path, isByModule }: Parameters<typeof placeReportPaths>[1],
  { root, files, named }: Tree,
): Placed {
  const known = (name: string): string | undefined => (files.has(name) ? name : undefined);
  const above = listFoldersAbove(path);
  const isHere = sample.some((one) => one.startsWith(`${root}/`));
  const pairs = scorePairs(sample, named, isByModule).filter(
    ({ to, score }) => score > 1 || (isByModule && above.includes(to)),
  );
  const home = isByModule ? undefined : findHome(sample, above, files);
  const whole = pairs.filter(({ from }) => from === '');
  const isContested = (whole[0]?.score ?? 0) > (whole.find(({ to }) => to === home)?.score ?? Infinity);
  return (name) => {
    if (name.startsWith(`${root}/`)) return known(name.slice(root.length + 1));
    if (isWhole(name) ? isHere : home !== undefined)
      return isContested ? undefined : known(posix.join(home ?? '', name));
    const fits = pairs.filter(({ from }) => from === '' || name.startsWith(`${from}/`));
    const found = fits.flatMap(({ from, to, score }) => {
      const file = posix.join(to, `./${name.slice(from.length)}`);
      return files.has(file) ? [{ file, score }] : [];
    });
    const [first, second] = found;
    return first === undefined || first.score === second?.score ? undefined : first.file;
  };
}

function isWhole(path: string): boolean {
  return /^(?:\/|\w:\/)/.test(path);
}

/** The nearest first, the root of the tree last. */
function listFoldersAbove(path: string): readonly string[] {
  const folders = path.split('/').slice(0, -1);
  return [...folders.keys(), folders.length].reverse().map((end) => folders.slice(0, end).join('/'));
}

/** The folder above a report below which most of its relative paths are. */
function findHome(paths: readonly string[], above: readonly string[], files: ReadonlySet<string>): string | undefined {
  let [home, most]: [string | undefined, number] = [undefined, 0];
  for (const folder of above) {
    const count = paths.filter((path) => !isWhole(path) && files.has(posix.join(folder, path))).length;
    if (count > most) [home, most] = [folder, count];
  }
  return home;
}

interface Pair {
  /** What a path of the report begins with, and what stands for it in the tree. */
  readonly from: string;
  readonly to: string;
  /** How many parts of paths speak for it. */
  score: number;
}

function scorePairs(paths: readonly string[], named: Tree['named'], isByModule: boolean): readonly Pair[] {
  const pairs = new Map<string, Pair>();
  let left = mostPairs;
  for (const path of paths) {
    const files = named.get(lastPart(path)) ?? [];
    left -= files.length;
    if (left < 0) break;
    const parts = path.split('/');
    for (const file of files) {
      const others = file.split('/');
      let common = 1;
      while (common < others.length && parts.at(-1 - common) === others.at(-1 - common)) common += 1;
      if (common < parts.length && !isByModule && !isWhole(path)) continue;
      const [from, to] = [parts.slice(0, -common).join('/'), others.slice(0, -common).join('/')];
      const pair = pairs.get(`${from}\0${to}`) ?? { from, to, score: 0 };
      pair.score += common;
      pairs.set(`${from}\0${to}`, pair);
    }
  }
  return [...pairs.values()].sort((a, b) => b.score - a.score).slice(0, mostUsed);
}
