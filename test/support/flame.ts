import { PassThrough, Writable } from 'node:stream';
import { main } from '../../lib/cli/main.ts';
import type { TestRepo } from './repo.ts';

export interface FlameRun {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface FlameOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly stdin?: string;
  readonly signal?: AbortSignal;
  /** Called with each text as it is written, of both streams in one order. */
  readonly onOutput?: (stream: 'stdout' | 'stderr', text: string) => void;
}

/** `git flame doctor` that looks at state and repository, and tries nothing: its trials use seconds of all processors. */
export const lookOnly = ['doctor', '--repair', '--dry-run'];

/** Runs a git flame command in this process, without a terminal. */
export async function flame(repo: TestRepo, argv: readonly string[], options: FlameOptions = {}): Promise<FlameRun> {
  const stdin = new PassThrough();
  stdin.end(options.stdin ?? '');
  const { signal, onOutput } = options;
  const said: Record<'stdout' | 'stderr', Buffer[]> = { stdout: [], stderr: [] };
  const collect = (stream: keyof typeof said): Writable =>
    new Writable({
      write: (chunk: Buffer, _, done) => {
        said[stream].push(chunk);
        onOutput?.(stream, chunk.toString());
        done();
      },
    });
  const code = await main(argv, {
    cwd: options.cwd ?? repo.path,
    env: { ...repo.env, ...options.env },
    stdin,
    stdout: collect('stdout'),
    stderr: collect('stderr'),
    ...(signal === undefined ? {} : { signal }),
  });
  const textOf = (stream: keyof typeof said): string => Buffer.concat(said[stream]).toString();
  return { code, stdout: textOf('stdout'), stderr: textOf('stderr') };
}

/** Like flame, with `--json`: every line of stdout parsed. */
export async function flameJson(
  repo: TestRepo,
  argv: readonly string[],
  options: FlameOptions = {},
): Promise<FlameRun & { readonly lines: readonly Record<string, unknown>[] }> {
  const run = await flame(repo, [...argv, '--json'], options);
  const lines = run.stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line): Record<string, unknown> => JSON.parse(line));
  return { ...run, lines };
}
