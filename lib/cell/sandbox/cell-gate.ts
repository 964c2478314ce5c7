import type { ChildProcess } from 'node:child_process';
import type { Duplex } from 'node:stream';
import { readStat } from '../../util/process-identity.ts';
import type { Status } from './cell-status.ts';

/** The file descriptor at which a cell waits to be let in. */
const gateDescriptor = 5;

/** How a cell ends in which a file of its starter is open. */
export const leakStatus = 126;

// By a folder that is open, everything beside it could be reached. Shells close no number above 9 by themselves.
const nothingOpen = [
  'for open in /proc/self/fd/*; do case $open in */[012]) ;; *) if [ -L "$open" ]; then',
  'echo "Not started: $open was left open by the program that starts cells." >&2;',
  `exit ${leakStatus}; fi ;; esac; done`,
].join(' ');

/**
 * The first script of a cell's shell: it reports that it is there and waits. Where the process that started it is gone
 * or gives it up, it ends as if by SIGTERM. Then it makes sure that nothing but its streams was handed to it.
 */
export const gateScript = `echo >&${gateDescriptor}; read -r enter <&${gateDescriptor} || exit 143; exec ${gateDescriptor}>&-; umask 022; ${nothingOpen}`;

/** Whether a program in a cell may begin. */
export interface CellGate {
  readonly isOpen: boolean;
  /** Makes a program that is not let in yet end by itself, once its cell is made. */
  close(): void;
}

/**
 * Lets a program begin once the kernel ties its cell to this process. While bubblewrap makes a cell nothing does: it
 * can be killed, or this process can, and what it has started by then lives on.
 */
export function openGate(child: ChildProcess, status: Status | null): CellGate {
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
function isTied({ reaper }: Status): boolean {
  if (reaper === null) return false;
  const stat = readStat(reaper.pid);
  // Not to be seen, or over: there is nothing to wait for.
  return stat === null || stat.state !== 'R';
}
