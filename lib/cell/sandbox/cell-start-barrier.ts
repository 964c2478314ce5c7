import type { ChildProcess } from 'node:child_process';
import type { Duplex, Readable } from 'node:stream';
import { readProcessStart, readStat } from '../../util/process-identity.ts';
import { statusDescriptor } from './bwrap-profile.ts';

/** The file descriptor at which a cell waits to be let in. */
const gateDescriptor = 5;

/** How a cell ends in which a file of its starter is open. */
export const leakedDescriptorExitCode = 126;

// By a folder that is open, everything beside it could be reached. Shells close no number above 9 by themselves.
const nothingOpen = [
  'for open in /proc/self/fd/*; do case $open in */[012]) ;; *) if [ -L "$open" ]; then',
  'echo "Not started: $open was left open by the program that starts cells." >&2;',
  `exit ${leakedDescriptorExitCode}; fi ;; esac; done`,
].join(' ');

/**
 * The first script of a cell's shell: it reports that it is there and waits. Where the process that started it is gone
 * or gives it up, it ends as if by SIGTERM. Then it makes sure that nothing but its streams was handed to it.
 */
export const cellStartScript = `echo >&${gateDescriptor}; read -r enter <&${gateDescriptor} || exit 143; exec ${gateDescriptor}>&-; umask 022; ${nothingOpen}`;

/** Whether a program in a cell may begin. */
export interface CellStartBarrier {
  readonly isOpen: boolean;
  /** Makes a program that is not let in yet end by itself, once its cell is made. */
  close(): void;
}

/**
 * Lets a program begin once the kernel ties its cell to this process. While bubblewrap makes a cell nothing does: it
 * can be killed, or this process can, and what it has started by then lives on.
 */
export function startOnceCellIsTied(child: ChildProcess, status: BwrapStatus | null): CellStartBarrier {
  const pipe = child.stdio.at(gateDescriptor) as Duplex | null | undefined;
  const gate = { isOpen: false, close: () => pipe?.destroy() };
  pipe?.on('error', () => undefined);
  pipe?.once('data', () => {
    const enter = (): void => {
      if (pipe.destroyed) return;
      if (status !== null && !isTied(status)) {
        setTimeout(enter, 1);
        return;
      }
      gate.isOpen = true;
      pipe.end('\n');
    };
    enter();
  });
  return gate;
}

/** The first process of the namespace ends with bubblewrap from the moment it waits for the others. */
function isTied({ reaper }: BwrapStatus): boolean {
  if (reaper === null) return false;
  const stat = readStat(reaper.pid);
  // Not to be seen, or over: there is nothing to wait for.
  return stat === null || stat.state !== 'R';
}

/** bubblewrap's report of a cell. */
export interface BwrapStatus {
  /** The first process of the cell's process namespace; it is gone only when all others are. */
  reaper: { readonly pid: number; readonly start: string | null } | null;
  hasRun: boolean;
}

/** Fills in the status as bubblewrap writes it to its descriptor. */
export function readBwrapStatus(child: ChildProcess): BwrapStatus {
  const status: BwrapStatus = { reaper: null, hasRun: false };
  let text = '';
  const pipe = child.stdio[statusDescriptor] as Readable | null | undefined;
  pipe?.on('data', (chunk: Buffer) => {
    text += chunk.toString();
    const pid = numberAfter(text, 'child-pid');
    if (pid !== null) status.reaper ??= { pid, start: readProcessStart(pid) };
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
export function isReaperAlive(reaper: BwrapStatus['reaper']): boolean {
  return reaper !== null && reaper.start !== null && readProcessStart(reaper.pid) === reaper.start;
}
