import { addTo } from '../../util/group-by.ts';
import { listProcesses } from '../../util/process-identity.ts';
import { readTextOrEmpty } from '../../util/read-file.ts';

/** One line of the process table. */
export interface ProcessUsage {
  readonly parent: number;
  readonly threads: number;
  readonly residentPages: number;
  /** Its own CPU time and that of children it waited for. */
  readonly cpuTicks: number;
}

interface TreeUsage {
  readonly threads: number;
  readonly cpuSeconds: number;
  readonly residentBytes: number;
  /** Shared pages counted once; reads the page tables of each process. */
  exactBytes(): number;
}

const ticksPerSecond = 100;

/** All processes of the machine; empty where there is no /proc. */
export function readProcessTable(): Map<number, ProcessUsage> {
  const table = new Map<number, ProcessUsage>();
  for (const pid of listProcesses()) {
    const usage = parseStat(readTextOrEmpty(`/proc/${pid}/stat`));
    if (usage !== null) table.set(pid, usage);
  }
  return table;
}

/** Reads /proc/<pid>/stat; null for what isn't one, and for zombies. */
export function parseStat(text: string): ProcessUsage | null {
  // The program's name is in brackets and may hold blanks and brackets itself.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  if (fields.length < 22 || fields[0] === 'Z') return null;
  const at = (index: number): number => Number(fields[index]);
  return {
    parent: at(1),
    threads: at(17),
    residentPages: at(21),
    cpuTicks: at(11) + at(12) + at(13) + at(14),
  };
}

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

/** These processes, as far as they are there, and all that descend from them. */
export function withDescendants(
  table: ReadonlyMap<number, ProcessUsage>,
  roots: readonly number[],
): number[] {
  const children = new Map<number, number[]>();
  for (const [pid, { parent }] of table) addTo(children, parent, pid);
  const found = new Set(roots.filter((pid) => table.has(pid)));
  for (const pid of found) for (const child of children.get(pid) ?? []) found.add(child);
  return [...found];
}

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
