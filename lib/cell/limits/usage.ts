import { readTextOrEmpty } from '../../util/read-file.ts';
import { type ProcessUsage, parseStat, withDescendants } from '../process-tree.ts';

interface TreeUsage {
  readonly threads: number;
  readonly cpuSeconds: number;
  readonly residentBytes: number;
  /** Shared pages counted once; reads the page tables of each process. */
  exactBytes(): number;
}

const ticksPerSecond = 100;

/** The usage of these processes and all that descend from them. */
export function usageOf(table: ReadonlyMap<number, ProcessUsage>, roots: readonly number[]): TreeUsage {
  const pids = withDescendants(table, roots);
  const sum = (pick: (usage: ProcessUsage) => number): number =>
    pids.reduce((total, pid) => total + pick(table.get(pid) ?? nothing), 0);
  return {
    threads: sum(({ threads }) => threads),
    cpuSeconds: sum(({ cpuTicks }) => cpuTicks) / ticksPerSecond,
    residentBytes: sum(({ residentPages }) => residentPages) * pageSize(),
    exactBytes: () => pids.reduce((total, pid) => total + proportionalBytes(pid, table.get(pid)), 0),
  };
}

const nothing: ProcessUsage = { parent: 0, threads: 0, residentPages: 0, cpuTicks: 0 };

/** Shared pages in equal parts to those who share them; all of them where the system doesn't report it. */
function proportionalBytes(pid: number, usage = nothing): number {
  const match = /^Pss:\s+(\d+) kB$/m.exec(readTextOrEmpty(`/proc/${pid}/smaps_rollup`));
  return match === null ? usage.residentPages * pageSize() : Number(match[1]) * 1024;
}

let knownPageSize = 0;

function pageSize(): number {
  if (knownPageSize === 0) {
    const pages = parseStat(readTextOrEmpty('/proc/self/stat'))?.residentPages ?? 0;
    const estimate = pages > 0 ? process.memoryUsage.rss() / pages : 4_096;
    knownPageSize = 2 ** Math.round(Math.log2(estimate));
  }
  return knownPageSize;
}
