import type { ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';
import { processStart } from '../../util/process-identity.ts';
import { statusDescriptor } from './bwrap-profile.ts';

/** bubblewrap's report of a cell. */
export interface Status {
  /** The first process of the cell's process namespace; it is gone only when all others are. */
  reaper: { readonly pid: number; readonly start: string | null } | null;
  hasRun: boolean;
}

/** Fills in the status as bubblewrap writes it to its descriptor. */
export function readStatus(child: ChildProcess): Status {
  const status: Status = { reaper: null, hasRun: false };
  let text = '';
  const pipe = child.stdio[statusDescriptor] as Readable | null | undefined;
  pipe?.on('data', (chunk: Buffer) => {
    text += chunk.toString();
    const pid = numberAfter(text, 'child-pid');
    if (pid !== null) status.reaper ??= { pid, start: processStart(pid) };
    status.hasRun = numberAfter(text, 'exit-code') !== null;
  });
  pipe?.on('error', () => undefined);
  return status;
}

function numberAfter(text: string, key: string): number | null {
  const match = new RegExp(`"${key}": (\\d+)`).exec(text);
  return match === null ? null : Number(match[1]);
}

/** Whether that very process still runs. */
export function isAlive(reaper: Status['reaper']): boolean {
  return reaper !== null && reaper.start !== null && processStart(reaper.pid) === reaper.start;
}
