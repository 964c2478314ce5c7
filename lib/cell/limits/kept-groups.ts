import { rmdirSync } from 'node:fs';
import type { CellGroup, CellLimits, GroupUsage } from '../sandbox-state.ts';
import { type GroupPlan, makeGroup, type OwnGroup } from './group.ts';

export interface KeptGroups {
  /** A group with these limits, in which nothing is. Throws where it can't be made. */
  open(limits: CellLimits): CellGroup;
  /** Removes those that no cell is in. */
  drop(): Promise<void>;
}

// What is empty when the program ends goes with it.
const idle = new Set<OwnGroup>();
let isHooked = false;

/** Gives a cell the group of one that has ended: to make one and to drop it keeps the kernel busy for milliseconds. */
export function keepGroups(plan: GroupPlan): KeptGroups {
  const free = new Map<string, OwnGroup[]>();
  return {
    open(limits) {
      const kind = JSON.stringify(limits);
      const own = free.get(kind)?.pop() ?? makeGroup(plan, limits);
      idle.delete(own);
      const before = own.usage();
      return {
        ...own,
        usage: () => since(before, own.usage()),
        close: async () => {
          if (!own.isFree()) return own.close();
          free.set(kind, [...(free.get(kind) ?? []), own]);
          idle.add(own);
          dropAtExit();
        },
      };
    },
    drop: async () => {
      const groups = [...free.values()].flat();
      free.clear();
      for (const group of groups) idle.delete(group);
      await Promise.all(groups.map((group) => group.close()));
    },
  };
}

/** What the kernel counts, it counts from the making of a group on. */
function since(before: GroupUsage, now: GroupUsage): GroupUsage {
  return {
    cpuSeconds: now.cpuSeconds === null ? null : now.cpuSeconds - (before.cpuSeconds ?? 0),
    memoryKills: now.memoryKills - before.memoryKills,
    refusedForks: now.refusedForks - before.refusedForks,
  };
}

function dropAtExit(): void {
  if (isHooked) return;
  isHooked = true;
  process.on('exit', () => {
    for (const { folders } of idle) for (const folder of folders) remove(folder);
  });
}

function remove(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // The next start removes what is left over.
  }
}
