/** Limits of one cell, from the configuration's `sandbox` section. */
export interface CellLimits {
  readonly cpuSeconds: number;
  readonly memoryMb: number;
  readonly fileSizeMb: number;
  readonly openFiles: number;
}

// CPU time: a soft limit first, so that the program hears SIGXCPU before it is killed.
// Memory: RLIMIT_DATA, per process. RLIMIT_AS would break programs that reserve address space (WebAssembly
// in Node), RLIMIT_RSS is ignored by Linux.
// `ulimit -f` counts 512-byte blocks in a POSIX sh. A limit that is already lower stays.
const script =
  '{ ulimit -c 0; ulimit -S -t "$1" && ulimit -H -t "$2"; ulimit -f "$3"; ulimit -n "$4"; ulimit -d "$5"; } 2>/dev/null; shift 5; exec "$@"';

/** The command behind its limits: a shell that sets them and becomes the command. They hold per process. */
export function withLimits(limits: CellLimits, argv: readonly string[]): string[] {
  const values = [
    limits.cpuSeconds,
    limits.cpuSeconds + 5,
    limits.fileSizeMb * 2048,
    limits.openFiles,
    limits.memoryMb * 1024,
  ];
  return ['/bin/sh', '-c', script, 'cell', ...values.map(String), ...argv];
}
