import { type ChildProcess, execFileSync, type SpawnOptions, spawn } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, rmSync } from 'node:fs';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { requirePipes } from '../../util/child-programs.ts';

/** Both ends of a pipe. */
interface PipeEnds {
  readonly read: number;
  readonly write: number;
}

// As many are made by one program as the next few cells need.
const atOnce = 8;
const waiting: PipeEnds[] = [];

/**
 * Starts a program whose stdout and stderr are pipes, `input` its stdin and `others` what follows. node's own are
 * sockets, which can't be opened again: `echo >/dev/stderr` would fail in everything that the program starts. Where no
 * pipes can be made, they are sockets all the same. Throws where the program can't be started.
 */
export function spawnWithPipes(
  [program = '', ...args]: readonly string[],
  {
    input,
    others,
    ...options
  }: SpawnOptions & {
    readonly input: 'ignore' | 'pipe';
    readonly others: readonly ('ignore' | 'pipe' | number)[];
  },
): ChildProcess {
  const pipes = takePipes();
  const [out, err] = pipes?.map(({ write }) => write) ?? [];
  try {
    const child = spawn(program, args, {
      ...options,
      stdio: [input, out ?? 'pipe', err ?? 'pipe', ...others],
    });
    requirePipes(child);
    if (pipes !== null) giveOutput(child, pipes);
    return child;
  } catch (error) {
    for (const { read } of pipes ?? []) closeSync(read);
    throw error;
  } finally {
    for (const { write } of pipes ?? []) closeSync(write);
  }
}

function takePipes(): readonly [PipeEnds, PipeEnds] | null {
  try {
    if (waiting.length < 2) waiting.push(...makePipes());
  } catch {
    return null;
  }
  const [out, err] = waiting.splice(0, 2);
  return out === undefined || err === undefined ? null : [out, err];
}

/** node makes no pipe itself; an opened and unlinked FIFO is one, see fifo(7). */
function makePipes(): readonly PipeEnds[] {
  const folder = mkdtempSync(join(tmpdir(), 'flame-pipes-'));
  try {
    const paths = Array.from({ length: atOnce }, (_, index) => join(folder, String(index)));
    execFileSync('mkfifo', ['-m', '600', ...paths], { stdio: 'ignore' });
    // Without a writer yet, a reader must not wait for one.
    return paths.map((path) => ({
      read: openSync(path, constants.O_RDONLY | constants.O_NONBLOCK),
      write: openSync(path, constants.O_WRONLY),
    }));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function giveOutput(child: ChildProcess, pipes: readonly [PipeEnds, PipeEnds]): void {
  [child.stdout, child.stderr] = pipes.map(({ read }) => new Socket({ fd: read, writable: false })) as [Socket, Socket];
  child.stdio[1] = child.stdout;
  child.stdio[2] = child.stderr;
}

/** Resolves when a child has ended and all that was written is read. */
export async function waitForAllOutput(child: ChildProcess): Promise<void> {
  await Promise.all(
    [child, child.stdout, child.stderr].map(async (one) => {
      if (one !== null && !('closed' in one && one.closed))
        await new Promise<void>((resolve) => one.once('close', () => resolve()));
    }),
  );
}
