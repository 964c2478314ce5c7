import type { Patch } from '../../domain/state/patch.ts';
import type { CoveredFile } from '../../domain/state/verdict.ts';
import { renderFileName } from '../../util/file-names.ts';
import { groupBy } from '../../util/sort-and-group.ts';
import { readLineRuns } from './coverage-reports.ts';
import { kindOfFile } from './file-kind.ts';
import { lastPart } from './file-links.ts';

/** A coverage report: where it lies in its worktree, and what is in it. */
export interface CoverageReport {
  readonly path: string;
  readonly text: string;
}

const mostFiles = 200;
const mostRanges = 30;
const longestPath = 4_096;
/** A report that takes longer is no report of a test runner. */
const mostSteps = 20_000_000;

interface AddedLines {
  /** How often each ran, by its number; null: no report measures it. */
  readonly counts: Map<number, number | null>;
  report: string;
}

/** Reads from the reports of checks which lines that a patch added ran, of the files measured. `tree`: all its files. */
export function measureCoverage(
  reports: readonly CoverageReport[],
  patch: Patch,
  tree: readonly string[],
): readonly CoveredFile[] {
  const changed = listAddedLines(patch);
  let steps = 0;
  for (const report of reports) {
    const places = placePaths(report, tree);
    for (const { path, from, to, count } of readLineRuns(report.text)) {
      const added = changed.get(places.get(path) ?? '');
      if (added === undefined) continue;
      added.report = report.path;
      for (let line = from; line <= to; line += 1) {
        const before = added.counts.get(line);
        if (before !== undefined) added.counts.set(line, Math.max(before ?? 0, count));
        steps += 1;
        if (steps > mostSteps) return [];
      }
    }
  }
  return [...changed].flatMap(([path, added]) => summarize(path, added)).slice(0, mostFiles);
}

function listAddedLines({ files }: Patch): ReadonlyMap<string, AddedLines> {
  const sources = files.filter(({ path, hasNul }) => kindOfFile(path) === 'source' && !hasNul);
  return new Map(
    sources.map((file) => {
      const counts = new Map<number, number | null>();
      for (const hunk of file.hunks()) {
        let at = hunk.newStart;
        for (const { kind } of hunk.lines) {
          if (kind === 'insert') counts.set(at, null);
          if (kind !== 'delete') at += 1;
        }
      }
      return [file.path, { counts, report: '' }];
    }),
  );
}

function summarize(path: string, { counts, report }: AddedLines): readonly CoveredFile[] {
  const measured = [...counts].filter(([, count]) => count !== null);
  if (measured.length === 0) return [];
  const ranges: [number, number][] = [];
  const notRun = measured.flatMap(([line, count]) => ((count ?? 0) > 0 ? [] : [line]));
  for (const line of notRun) {
    const last = ranges.at(-1);
    if (last !== undefined && last[1] === line - 1) last[1] = line;
    else ranges.push([line, line]);
  }
  const figures = { lines: measured.length, not_run: notRun.length, ranges: ranges.slice(0, mostRanges) };
  return [{ path, report: renderFileName(report), ...figures }];
}

/**
 * Finds the files that a report means: its paths are those of a folder above the report, whole ones of the machine it
 * was made on, names of packages, or the ends of longer ones.
 */
function placePaths(report: CoverageReport, tree: readonly string[]): ReadonlyMap<string, string> {
  const known = new Set(tree);
  const named = groupBy(tree, lastPart);
  const paths = new Set<string>();
  for (const { path } of readLineRuns(report.text)) if (path.length <= longestPath) paths.add(path);
  const written = Array.from(paths, (path) => ({
    path,
    parts: path.replaceAll('\\', '/').replace(/^\.\//, '').split('/'),
  }));
  const folders = report.path.split('/').slice(0, -1);
  const bases = [...folders.keys(), folders.length].reverse().map((end) => folders.slice(0, end));
  const prefix = findPrefix(written, known);
  return new Map(
    written.flatMap(({ path, parts }) => {
      const name = parts.join('/');
      const below = bases.map((base) => [...base, name].join('/')).find((one) => known.has(one));
      const cut = name.startsWith(prefix) ? name.slice(prefix.length) : '';
      const ends = (named.get(lastPart(name)) ?? []).filter((one) => one.endsWith(`/${name}`));
      const place = below ?? (known.has(cut) ? cut : ends.length === 1 ? ends[0] : undefined);
      return place === undefined ? [] : [[path, place] as const];
    }),
  );
}

/** What most paths have before the name of a file of the tree. */
function findPrefix(written: readonly { readonly parts: readonly string[] }[], known: ReadonlySet<string>): string {
  const prefixes = written.flatMap(({ parts }) => {
    const cut = parts.findIndex((_, at) => at > 0 && known.has(parts.slice(at).join('/')));
    return cut < 1 ? [] : [`${parts.slice(0, cut).join('/')}/`];
  });
  const counted = [...groupBy(prefixes, (prefix) => prefix)].sort((a, b) => b[1].length - a[1].length);
  return counted[0]?.[0] ?? '';
}
