import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

export interface ListedProcess {
  readonly pid: number;
  readonly parent: number;
  /** The program and its words, with blanks between them. */
  readonly args: string;
}

/** All processes of this machine; from /proc where there is one, since small systems lack `ps`. */
export function listProcesses(): readonly ListedProcess[] {
  if (process.platform !== 'linux') return listed();
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => readProcess(Number(pid)));
}

function readProcess(pid: number): readonly ListedProcess[] {
  try {
    const args = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
    // The name before it, in brackets, may hold blanks and brackets.
    const parent = / \S (\d+) /.exec(readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\)/s, ''));
    return [{ pid, parent: Number(parent?.[1]), args }];
  } catch {
    // It has ended meanwhile.
    return [];
  }
}

function listed(): readonly ListedProcess[] {
  const lines = execFileSync('ps', ['-A', '-ww', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' }).split('\n');
  return lines.flatMap((line) => {
    const [, pid, parent, args] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
    return args === undefined ? [] : [{ pid: Number(pid), parent: Number(parent), args }];
  });
}
