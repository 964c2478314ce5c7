import { readTextOrEmpty } from '../../util/read-file.ts';
import { type ProcessUsage, parseStat, readProcessTable, withDescendants } from '../process-table.ts';
import type { CellControlGroup, CellLimits, LimitEnforcement, LimitEnforcer } from '../runner-context.ts';
import type { LimitName } from './limits.ts';
import { watchDisk } from './watch-disk.ts';

interface WatchedCell {
  readonly limits: CellLimits;
  readonly state: LimitEnforcement;
  readonly group: CellControlGroup | null;
  /** Its first process: all others descend from it, or are found by `others`. */
  readonly pid: number;
  /** All that can be written in it. */
  readonly folders: readonly string[];
  /** Processes of the cell that left the tree; empty where none can. */
  others(): readonly number[];
  /** Called once. */
  onLimit(limit: LimitName): void;
}

export interface CellLimitsWatch {
  /** The limit that was reached, asked once more; call it when the cell has ended. */
  end(): LimitName | null;
}

const intervalMs = 1_000;
/** Of so many looks one is at what the kernel limits and counts by itself. */
const groupShare = 5;
let looks = 0;
const watches = new Set<() => void>();
let timer: NodeJS.Timeout | null = null;
/** Read at most once at each look, where a limit needs it. */
let table: ReadonlyMap<number, ProcessUsage> | null = null;

/** Looks at a cell once a second, at all cells in one pass. */
export function watchCellLimits(cell: WatchedCell): CellLimitsWatch {
  let reached: LimitName | null = null;
  const disk = watchDisk({
    folders: cell.folders,
    limitBytes: cell.limits.diskMb * 1024 * 1024,
    pids: () => withDescendants(processTable(), rootsOf(cell)),
  });
  const tick = (): void => {
    if (reached !== null) return;
    reached = processLimit(cell) ?? (disk.isFull() ? 'disk' : null);
    if (reached !== null) cell.onLimit(reached);
  };
  add(tick);
  return {
    end: () => {
      remove(tick);
      reached ??= groupLimit(cell);
      return reached;
    },
  };
}

function add(tick: () => void): void {
  watches.add(tick);
  timer ??= setInterval(() => {
    looks += 1;
    table = null;
    for (const each of watches) each();
  }, intervalMs).unref();
}

function remove(tick: () => void): void {
  watches.delete(tick);
  if (watches.size > 0 || timer === null) return;
  clearInterval(timer);
  timer = null;
}

function processLimit(cell: WatchedCell): LimitName | null {
  const { memory, cpu, processes } = cell.state;
  const isGroup = (enforcer: LimitEnforcer): boolean => enforcer !== 'watchdog' && enforcer !== 'rlimit';
  if ([memory, cpu, processes].every(isGroup)) return looks % groupShare === 0 ? groupLimit(cell) : null;
  return groupLimit(cell) ?? treeLimit(cell);
}

function processTable(): ReadonlyMap<number, ProcessUsage> {
  table ??= readProcessTable();
  return table;
}

function rootsOf({ pid, others }: WatchedCell): readonly number[] {
  return [pid, ...others()];
}

/** Returns the limit that the kernel's count for the whole group exceeds. */
function groupLimit({ group, limits, state }: WatchedCell): LimitName | null {
  if (group === null) return null;
  const { cpuSeconds, memoryKills, refusedForks } = group.usage();
  if (memoryKills > 0 && state.memory !== 'watchdog') return 'memory';
  if (refusedForks > 0) return 'processes';
  return cpuSeconds !== null && cpuSeconds >= limits.cpuSeconds ? 'cpu' : null;
}

/** Returns the limit that the processes exceed that are there now, added up: for limits no group counts here. */
function treeLimit(cell: WatchedCell): LimitName | null {
  const { limits } = cell;
  const { memory, cpu, processes } = cell.state;
  const usage = sumProcessTreeUsage(processTable(), rootsOf(cell));
  // The kernel only refuses more; an agent that keeps trying is ended.
  const mostThreads = processes === 'rlimit' ? limits.processes - 1 : limits.processes;
  const isCounted = processes === 'watchdog' || processes === 'rlimit';
  if (isCounted && usage.threads > mostThreads) return 'processes';
  if (cpu === 'watchdog' && usage.cpuSeconds >= limits.cpuSeconds) return 'cpu';
  const most = limits.memoryMb * 1024 * 1024;
  // Pages that processes share count for each of them at first; the exact figure is dear.
  const isOver = memory === 'watchdog' && usage.residentBytes > most && usage.exactBytes() > most;
  return isOver ? 'memory' : null;
}

interface TreeUsage {
  readonly threads: number;
  readonly cpuSeconds: number;
  readonly residentBytes: number;
  /** Shared pages counted once; reads the page tables of each process. */
  exactBytes(): number;
}

const ticksPerSecond = 100;

/** The usage of these processes and all that descend from them. */
export function sumProcessTreeUsage(table: ReadonlyMap<number, ProcessUsage>, roots: readonly number[]): TreeUsage {
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
