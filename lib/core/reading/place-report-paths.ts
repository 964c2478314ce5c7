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

/** A way to read paths of a report: what stands before the name of a file is one folder, in the tree it is another. */
interface Way {
  readonly from: string;
  readonly to: string;
  /** How many parts of the report's paths it finds in the tree. */
  readonly score: number;
}

const mostSampled = 2_000;
const mostPairs = 50_000;

/**
 * Finds the file of the tree that each path of a report means. All are read in the one way that finds most of them:
 * whole paths of the worktree, paths below a folder above the report, else those that are alike at their ends (reports
 * from another machine, names of modules and packages). undefined: it means none, or two are as likely.
 */
export function placeReportPaths(
  paths: ReadonlySet<string>,
  { path: report, roots, isByModule }: Pick<CoverageText, 'roots' | 'isByModule'> & { readonly path: string },
  tree: Tree,
): (path: string) => string | undefined {
  const spread = (path: string): readonly string[] =>
    roots.length === 0 || isWhole(path) ? [path] : roots.map((one) => posix.join(one, path));
  const sample = [...paths].slice(0, mostSampled).flatMap(spread);
  const folders = report.split('/').slice(0, -1);
  const above = [...folders.keys(), folders.length].reverse().map((end) => folders.slice(0, end).join('/'));
  const given = [{ from: tree.root, to: '' }, ...(isByModule ? [] : above.map((to) => ({ from: '', to })))];
  const [likely, other] = findAlikeEnds(sample, tree, isByModule).filter(
    ({ to, score }) => score > 1 || (isByModule && above.includes(to)),
  );
  const alike = likely === undefined || likely.score === other?.score ? [] : [likely];
  const ways = [...given.map((way) => ({ ...way, score: scoreWay(sample, way, tree) })), ...alike];
  const way = ways.reduce((best, one) => (one.score > best.score ? one : best));
  return (path) => {
    const found = new Set(spread(path).flatMap((one) => readPathBy(way, one) ?? []));
    const files = [...found].filter((file) => tree.files.has(file));
    return files.length === 1 ? files[0] : undefined;
  };
}

function readPathBy({ from, to }: Omit<Way, 'score'>, path: string): string | null {
  if (from === '') return isWhole(path) ? null : posix.join(to, path);
  return path.startsWith(`${from}/`) ? posix.join(to, path.slice(from.length + 1)) : null;
}

function scoreWay(paths: readonly string[], way: Omit<Way, 'score'>, { files }: Tree): number {
  const found = paths.filter((path) => files.has(readPathBy(way, path) ?? ''));
  return found.reduce((sum, path) => sum + path.slice(way.from.length).split('/').filter(Boolean).length, 0);
}

/** The ways by which ends of paths are those of files, the likeliest first. */
function findAlikeEnds(paths: readonly string[], { named }: Tree, isByModule: boolean): readonly Way[] {
  const ways = new Map<string, Way>();
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
      // The beginning of a relative path is no other machine's.
      if (common < parts.length && !isByModule && !isWhole(path)) continue;
      const [from, to] = [parts.slice(0, -common).join('/'), others.slice(0, -common).join('/')];
      ways.set(`${from}\0${to}`, { from, to, score: common + (ways.get(`${from}\0${to}`)?.score ?? 0) });
    }
  }
  return [...ways.values()].sort((a, b) => b.score - a.score);
}

function isWhole(path: string): boolean {
  return /^(?:\/|\w:\/)/.test(path);
}
