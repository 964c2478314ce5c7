import { readEnvironment } from '../util/process-ancestors.ts';
import { listProcesses } from '../util/process-identity.ts';
import { readTextOrEmpty } from '../util/read-file.ts';
import { addToListOfKey } from '../util/sort-and-group.ts';

/** One line of the process table. */
export interface ProcessUsage {
  readonly parent: number;
  readonly threads: number;
  readonly residentPages: number;
  /** Its own CPU time and that of children it waited for. */
  readonly cpuTicks: number;
}

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

/** These processes, as far as they are there, and all that descend from them. */
export function withDescendants(table: ReadonlyMap<number, ProcessUsage>, roots: readonly number[]): number[] {
  const children = new Map<number, number[]>();
  for (const [pid, { parent }] of table) addToListOfKey(children, parent, pid);
  const found = new Set(roots.filter((pid) => table.has(pid)));
  for (const pid of found) for (const child of children.get(pid) ?? []) found.add(child);
  return [...found];
}

/** All living descendants of a process, parents before children. Empty where the system has no /proc. */
export function listLivingDescendants(root: number): number[] {
  return withDescendants(readProcessTable(), [root]).slice(1);
}

/** Processes started with this variable in their environment, also those that left their parent and group. */
export function findProcessesByVariable(name: string, value: string): number[] {
  return listProcesses().filter((pid) => pid !== process.pid && readEnvironment(pid)[name] === value);
}

/** Of processes, parents first, the one that is the first of a process namespace of its own; null if none is. */
export function findFirstOfPidNamespace(pids: readonly number[]): number | null {
  const isFirst = (pid: number): boolean => /^NSpid:(?:\s+\d+)+\s+1$/m.test(readTextOrEmpty(`/proc/${pid}/status`));
  return pids.find(isFirst) ?? null;
}

/** The command line of every process that can be seen, words separated by zeros. */
export function listProcessCommandLines(): string[] {
  return listProcesses().map((pid) => readTextOrEmpty(`/proc/${pid}/cmdline`));
}

/** Sends a signal; a process that is gone or isn't ours is passed over. */
export function sendSignalIfAlive(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // Gone already.
  }
}
