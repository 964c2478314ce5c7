import type { Patch } from '../../domain/state/patch.ts';
import type { CoveredFile } from '../../domain/state/verdict.ts';
import { renderFileName } from '../../util/file-names.ts';
import { addToListOfKey, groupBy } from '../../util/sort-and-group.ts';
import { type LineRuns, readCoverage } from './coverage-reports.ts';
import { kindOfFile } from './file-kind.ts';
import { lastPart } from './file-links.ts';
import { placeReportPaths } from './place-report-paths.ts';

/** A coverage report: where it lies in its worktree, and what is in it. */
export interface CoverageReport {
  readonly path: string;
  readonly text: string;
}

const mostFiles = 500;
// What is stored of thousands of files stays below 200 KB, but for long paths.
const mostInFull = 100;
const mostRanges = 30;
const mostOfOthers = 5;
/** Reports that take longer are none of a test runner. */
const mostSteps = 10_000_000;

interface AddedLines {
  /** How often each ran, by its number, in order; null: no report measures it. */
  readonly counts: Map<number, number | null>;
  readonly last: number;
  report: string;
}

const runsOfTurn = 20_000;

/** Which of the added lines ran, by the reports read so far. */
export interface Coverage {
  /** Reads a report; yields now and then, where others may have a turn. */
  add(report: CoverageReport): Iterable<void>;
  /** The files measured, those with the most lines that did not run first. */
  list(): readonly CoveredFile[];
}

/** Reads reports of checks in a worktree. `tree`: all files of the commit; `root`: where the worktree is. */
export function createCoverage(patch: Patch, tree: readonly string[], root: string): Coverage {
  const changed = listAddedLines(patch);
  const names = new Set(Array.from(changed.keys(), lastPart));
  const files = new Set([...tree, ...changed.keys()]);
  const facts = { root, files, named: groupBy(files, lastPart) };
  let left = mostSteps;
  return {
    *add({ path: report, text }) {
      const { runs, ...form } = readCoverage(text);
      const paths = new Set<string>();
      const found = new Map<string, LineRuns[]>();
      let count = 0;
      for (const run of runs) {
        count += 1;
        if (count % runsOfTurn === 0) yield;
        paths.add(run.path);
        if (names.has(lastPart(run.path))) addToListOfKey(found, run.path, run);
      }
      const place = placeReportPaths(paths, { ...form, path: report }, facts);
      for (const [path, linesOfFile] of found) {
        const added = changed.get(place(path) ?? '');
        if (added !== undefined) left -= countRuns(added, linesOfFile, { report, most: left });
      }
    },
    list: () =>
      [...(left < 0 ? [] : changed)]
        .flatMap(([path, added]) => summarize(path, added))
        .sort((a, b) => b.not_run - a.not_run)
        .slice(0, mostFiles)
        .map((file, at) => ({ ...file, ranges: file.ranges.slice(0, at < mostInFull ? mostRanges : mostOfOthers) })),
  };
}

/** Returns its steps, more than the most where it gave up. */
function countRuns(
  added: AddedLines,
  runs: readonly LineRuns[],
  { report, most }: { readonly report: string; readonly most: number },
): number {
  const { counts, last } = added;
  let steps = 0;
  for (const { from, to, count } of runs) {
    if (Number.isNaN(count)) continue;
    for (let line = Math.max(from, 1); line <= Math.min(to, last) && steps <= most; line += 1) {
      const before = counts.get(line);
      steps += 1;
      if (before === undefined) continue;
      counts.set(line, Math.max(before ?? 0, count));
      added.report = report;
    }
  }
  return steps;
}

function listAddedLines({ files }: Patch): ReadonlyMap<string, AddedLines> {
  const sources = files.filter(({ path, hasNul }) => kindOfFile(path) === 'source' && !hasNul);
  return new Map(
    sources.map((file) => {
      const counts = new Map<number, number | null>();
      let last = 0;
      for (const hunk of file.hunks()) {
        let at = hunk.newStart;
        for (const { kind } of hunk.lines) {
          if (kind === 'delete') continue;
          if (kind === 'insert') counts.set(at, null);
          last = at;
          at += 1;
        }
      }
      return [file.path, { counts, last, report: '' }];
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
  return [
    {
      path,
      report: renderFileName(report),
      lines: measured.length,
      not_run: notRun.length,
      ranges: ranges.slice(0, mostRanges),
    },
  ];
}
