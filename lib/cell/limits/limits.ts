import type { CellLimits } from '../runner-context.ts';

/** Which limit a cell ran into. */
export type LimitName = 'memory' | 'cpu' | 'processes' | 'file-size' | 'disk';

/** One sentence naming the limit and the key that sets it. */
export function describeLimit(name: LimitName, limits: CellLimits): string {
  const sentences: Readonly<Record<LimitName, string>> = {
    memory: `reached its memory limit of ${limits.memoryMb} MB (sandbox.max_memory_mb)`,
    cpu: `reached its CPU limit of ${limits.cpuSeconds} s (sandbox.max_cpu_seconds)`,
    processes: `had too many processes: more than ${limits.processes} (sandbox.max_processes)`,
    disk: `filled the disk: it wrote more than ${limits.diskMb} MB (sandbox.max_disk_mb)`,
    'file-size': `wrote a file over the limit of ${limits.fileSizeMb} MB (sandbox.max_file_size_mb)`,
  };
  return sentences[name];
}

/** The limits of a cell that the kernel enforces for each process by itself. */
interface ProcessLimits extends CellLimits {
  /** Of the largest file it begins with; absent: none is larger than what it may write. */
  readonly largestFileMb?: number;
  /** Where nothing else bounds memory: RLIMIT_DATA, which threads and lazy mappings count against. */
  readonly hasDataLimit: boolean;
  /** Where the kernel counts a user's processes per user namespace. */
  readonly hasProcessLimit: boolean;
}

// CPU time: a soft limit first, so that the program gets SIGXCPU before it is killed.
// Memory: RLIMIT_AS would break programs that reserve address space (WebAssembly in Node), RLIMIT_RSS is
// ignored by Linux.
// `ulimit -f` counts 512-byte blocks in a POSIX sh. Processes are -u in bash and -p in dash. A limit that is
// already lower stays.
const script = [
  '{ ulimit -c 0; ulimit -S -t "$1" && ulimit -H -t "$2"; ulimit -f "$3"; ulimit -n "$4"; ulimit -d "$5"',
  'ulimit -u "$6" || ulimit -p "$6"; } 2>/dev/null; shift 6; exec "$@"',
].join('; ');

/** The command behind its limits: a shell that does `first`, sets them and becomes the command. They hold per process. */
export function wrapCommandInLimits(limits: ProcessLimits, argv: readonly string[], first = ':'): string[] {
  const values = [
    limits.cpuSeconds,
    limits.cpuSeconds + 5,
    fileBlocks(limits),
    limits.openFiles,
    limits.hasDataLimit ? limits.memoryMb * 1024 : 'unlimited',
    limits.hasProcessLimit ? limits.processes : 'unlimited',
  ];
  return ['/bin/sh', '-c', `${first}; ${script}`, 'cell', ...values.map(String), ...argv];
}

/**
 * Allows more than a file may have, so that one that was cut off here is always refused for its size. git writes an
 * object again where it can't touch the file's time, and packs what can't be packed a little larger.
 */
function fileBlocks({ fileSizeMb, largestFileMb = 0 }: ProcessLimits): number {
  return Math.ceil(Math.max(fileSizeMb, largestFileMb) * 1.01 * 2048) + 8;
}

/** Limits of single processes end them by a signal, which a shell or bubblewrap passes on as 128 + its number. */
export function findLimitReachedByEnd({
  code,
  name,
}: {
  readonly code: number | null;
  readonly name: string | null;
}): LimitName | null {
  if (name === 'SIGXCPU' || code === 152) return 'cpu';
  return name === 'SIGXFSZ' || code === 153 ? 'file-size' : null;
}
