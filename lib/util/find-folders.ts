import { spawn } from 'node:child_process';

/** What is known of a folder: `late` is one whose disk gave no answer in time. */
export type FolderPresence = 'there' | 'gone' | 'late';

interface FindOptions {
  /** The longest to wait for answers, in milliseconds. */
  readonly patienceMs: number;
  /** A POSIX shell. */
  readonly shell?: string;
}

// Each folder is asked for by a process of its own; the pipe ends with the last of them.
const script =
  'n=0; for path do ( if [ -d "$path" ]; then echo "$n there"; else echo "$n gone"; fi ) & n=$((n + 1)); done';

/**
 * Finds which folders are there, asking for all at once. Other processes ask: where a disk hangs, as one of a network may,
 * they do, and this one goes on.
 */
export async function findFolders(
  paths: readonly string[],
  { patienceMs, shell = '/bin/sh' }: FindOptions,
): Promise<ReadonlyMap<string, FolderPresence>> {
  const found = new Map<string, FolderPresence>(paths.map((path) => [path, 'late']));
  if (paths.length === 0) return found;
  const child = spawn(shell, ['-c', script, 'sh', ...paths], {
    cwd: '/',
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
  await new Promise<void>((resolve) => {
    const late = setTimeout(resolve, patienceMs);
    const done = (): void => {
      clearTimeout(late);
      resolve();
    };
    child.once('error', done);
    child.once('close', done);
  });
  endGroup(child.pid);
  child.stdout.destroy();
  child.unref();
  for (const line of text.split('\n')) {
    const [at, presence] = line.split(' ');
    const path = paths[Number(at)];
    if (path !== undefined && (presence === 'there' || presence === 'gone')) found.set(path, presence);
  }
  return found;
}

function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // All have ended.
  }
}
