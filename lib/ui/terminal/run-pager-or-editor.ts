import { spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { FlameError } from '../../domain/flame-error.ts';
import type { Io } from '../../domain/view-models/command.ts';

interface ProgramOptions {
  /** Operands after the person's own command line. */
  readonly args?: readonly string[];
  /** Fed to its standard input; absent: it gets the terminal. */
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * Runs a pager or an editor as git would: the person's own command line, through sh. It has the terminal
 * until it ends, Ctrl-C included. Resolves to its exit code.
 */
export async function runPagerOrEditor(io: Io, commandLine: string, options: ProgramOptions = {}): Promise<number> {
  const child = spawn('sh', ['-c', `${commandLine} "$@"`, commandLine, ...(options.args ?? [])], {
    cwd: io.cwd,
    env: { ...io.env, ...options.env },
    stdio: [
      options.input !== undefined ? 'pipe' : io.stdin === process.stdin ? 'inherit' : 'ignore',
      io.stdout === process.stdout ? 'inherit' : 'pipe',
      io.stderr === process.stderr ? 'inherit' : 'pipe',
    ],
  });
  const giveBack = leaveSignalsToChild();
  forward(child.stdout, io.stdout);
  forward(child.stderr, io.stderr);
  // A pager that is left early closes its input.
  child.stdin?.on('error', () => undefined);
  child.stdin?.end(options.input);
  try {
    const code = await new Promise<number>((resolve, reject) => {
      child.on('error', reject);
      child.on('close', (exitCode) => resolve(exitCode ?? 130));
    });
    if (code === 130) await giveBack.untilSeen();
    return code;
  } catch (cause) {
    throw new FlameError({
      kind: 'environment',
      code: 'program-missing',
      message: `'${commandLine}' could not be started.`,
      hints: ['git var GIT_EDITOR', 'git var GIT_PAGER'],
      cause,
    });
  } finally {
    giveBack.now();
  }
}

function forward(source: Readable | null, target: NodeJS.WritableStream): void {
  source?.on('data', (chunk: Buffer) => void target.write(chunk));
}

/** How long the Ctrl-C that ended a pager may take to reach this process too, in milliseconds. */
const signalTime = 300;

interface GiveBack {
  /** Resolves when the Ctrl-C that ended the child was seen here, or didn't come. */
  untilSeen(): Promise<void>;
  now(): void;
}

/** Ctrl-C goes to everything at the terminal: what it means inside a pager is the pager's business. */
function leaveSignalsToChild(): GiveBack {
  const listeners = process.listeners('SIGINT');
  let isSeen = false;
  let onSeen = (): void => undefined;
  const ignore = (): void => {
    isSeen = true;
    onSeen();
  };
  process.on('SIGINT', ignore);
  for (const listener of listeners) process.off('SIGINT', listener);
  return {
    untilSeen: () =>
      new Promise((resolve) => {
        onSeen = resolve;
        setTimeout(resolve, isSeen ? 0 : signalTime);
      }),
    now: () => {
      for (const listener of listeners) process.on('SIGINT', listener);
      process.off('SIGINT', ignore);
    },
  };
}

interface PagerOptions {
  /** Output of `git var GIT_PAGER`. */
  readonly pager: string;
  /** Where text goes when there is nothing to page on; stdout by default. */
  readonly elsewhere?: NodeJS.WritableStream;
}

/** Shows text in the person's pager where stdout is a terminal and git isn't paging already; else writes it. */
export async function openPager(io: Io, text: string, options: PagerOptions): Promise<void> {
  const pager = options.pager.trim();
  const whole = text.endsWith('\n') ? text : `${text}\n`;
  const isPaged = io.stdout.isTTY === true && io.env.GIT_PAGER_IN_USE !== 'true';
  if (!isPaged || pager === '' || pager === 'cat') {
    const target = io.stdout.isTTY === true ? io.stdout : (options.elsewhere ?? io.stdout);
    target.write(whole);
    return;
  }
  // The same defaults git gives its pager: end at once when it all fits, keep colours, leave the screen.
  const env = { LESS: io.env.LESS ?? 'FRX', LV: io.env.LV ?? '-c' };
  const exitCode = await runPagerOrEditor(io, pager, { input: whole, env });
  // 127: the shell found no such program.
  if (exitCode === 127) io.stdout.write(whole);
}

/** Starts the person's browser where there is a screen for it. Whether it worked is not known: the address is printed. */
export function openBrowser(io: Io, url: string): void {
  const command = browserCommand(io.env, process.platform);
  if (command === null) return;
  const line = command.includes('%s') ? command.replaceAll('%s', '"$1"') : `${command} "$1"`;
  const child = spawn('sh', ['-c', line, 'sh', url], {
    cwd: io.cwd,
    env: { ...io.env },
    stdio: 'ignore',
    detached: true,
  });
  child.on('error', () => undefined);
  child.unref();
}

/** $BROWSER, else what the system opens addresses with; null where that would find no screen. */
function browserCommand(env: Io['env'], platform: NodeJS.Platform): string | null {
  if (env.BROWSER !== undefined && env.BROWSER !== '') return env.BROWSER;
  if (platform === 'darwin') return 'open';
  const hasScreen = [env.DISPLAY, env.WAYLAND_DISPLAY].some((name) => name !== undefined && name !== '');
  return hasScreen ? 'xdg-open' : null;
}
