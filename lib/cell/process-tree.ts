import { readdirSync, readFileSync } from 'node:fs';
import { readStat } from '../util/process-identity.ts';

/** All living descendants of a process, parents before children. Empty where the system has no /proc. */
export function descendants(root: number): number[] {
  const children = new Map<number, number[]>();
  for (const pid of allProcesses()) {
    const stat = readStat(pid);
    if (stat !== null && stat.state !== 'Z') {
      children.set(stat.parent, [...(children.get(stat.parent) ?? []), pid]);
    }
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
  const wanted = `${name}=${value}`;
  return allProcesses().filter((pid) => pid !== process.pid && readEnvironment(pid).includes(wanted));
}

/** Sends a signal; a process that is gone or isn't ours is passed over. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // Gone already.
  }
}

function allProcesses(): number[] {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
  } catch {
    return [];
  }
}

function readEnvironment(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
  } catch {
    return [];
  }
}
