import { addTo } from '../util/group-by.ts';
import { listProcesses, readStat } from '../util/process-identity.ts';
import { readEnvironment } from '../util/process-tree.ts';
import { readTextOrEmpty } from '../util/read-file.ts';

/** All living descendants of a process, parents before children. Empty where the system has no /proc. */
export function descendants(root: number): number[] {
  const children = new Map<number, number[]>();
  for (const pid of listProcesses()) {
    const stat = readStat(pid);
    if (stat !== null && stat.state !== 'Z') addTo(children, stat.parent, pid);
  }
  const found: number[] = [];
  const waiting = [root];
  for (let pid = waiting.shift(); pid !== undefined; pid = waiting.shift()) {
    const own = children.get(pid) ?? [];
    found.push(...own);
    waiting.push(...own);
  }
  return found;
}

/** Processes started with this variable in their environment, also those that left their parent and group. */
export function processesWith(name: string, value: string): number[] {
  return listProcesses().filter((pid) => pid !== process.pid && readEnvironment(pid)[name] === value);
}

/** Of processes, parents first, the one that is the first of a process namespace of its own; null if none is. */
export function firstInNamespace(pids: readonly number[]): number | null {
  const isFirst = (pid: number): boolean =>
    /^NSpid:(?:\s+\d+)+\s+1$/m.test(readTextOrEmpty(`/proc/${pid}/status`));
  return pids.find(isFirst) ?? null;
}

/** The command line of every process that can be seen, words separated by zeros. */
export function commandLines(): string[] {
  return listProcesses().map((pid) => readTextOrEmpty(`/proc/${pid}/cmdline`));
}

/** Sends a signal; a process that is gone or isn't ours is passed over. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // Gone already.
  }
}
