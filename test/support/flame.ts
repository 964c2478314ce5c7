import { PassThrough } from 'node:stream';
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
}

/** `git flame doctor` that looks at state and repository, and tries nothing: its trials use seconds of all processors. */
export const lookOnly = ['doctor', '--repair', '--dry-run'];

/** Runs a git flame command in this process, without a terminal. */
export async function flame(
  repo: TestRepo,
  argv: readonly string[],
  options: FlameOptions = {},
): Promise<FlameRun> {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  stdin.end(options.stdin ?? '');
  const [out, err] = [collect(stdout), collect(stderr)];
  const { signal } = options;
  const code = await main(argv, {
    cwd: options.cwd ?? repo.path,
    env: { ...repo.env, ...options.env },
    stdin,
    stdout,
    stderr,
    ...(signal === undefined ? {} : { signal }),
  });
  return { code, stdout: out(), stderr: err() };
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

function collect(stream: PassThrough): () => string {
  const chunks: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  return () => Buffer.concat(chunks).toString();
}
