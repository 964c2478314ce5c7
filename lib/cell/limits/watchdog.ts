import { type ProcessUsage, readProcessTable, withDescendants } from '../process-tree.ts';
import type { CellGroup, CellLimits, Enforcer, LimitsState } from '../sandbox-state.ts';
import type { LimitName } from './limits.ts';
import { usageOf } from './usage.ts';
import { watchDisk } from './watch-disk.ts';

interface WatchedCell {
  readonly limits: CellLimits;
  readonly state: LimitsState;
  readonly group: CellGroup | null;
  /** Its first process: all others descend from it, or are found by `others`. */
  readonly pid: number;
  /** All that can be written in it. */
  readonly folders: readonly string[];
  /** Processes of the cell that left the tree; empty where none can. */
  others(): readonly number[];
  /** Called once. */
  onLimit(limit: LimitName): void;
}

export interface Watch {
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
export function watchLimits(cell: WatchedCell): Watch {
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
  const isGroup = (enforcer: Enforcer): boolean => enforcer !== 'watchdog' && enforcer !== 'rlimit';
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
  const usage = usageOf(processTable(), rootsOf(cell));
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
