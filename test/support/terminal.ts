import { spawnSync } from 'node:child_process';
import { programFolder } from './program.ts';
import { makeTempDir, type TestRepo } from './repo.ts';
import { until } from './until.ts';

/** A real terminal with a shell in it, and what can be seen there. */
export interface Terminal {
  /** Types text, or keys by the names tmux has for them: `Enter`, `C-c`, `Down`. */
  type(...keys: readonly string[]): void;
  resize(columns: number, rows: number): void;
  screen(): string;
  /** Waits until the screen shows it; the screen. Fails when a minute has passed. */
  until(what: RegExp): Promise<string>;
  /** A property of the pane, such as cursor_flag. */
  ask(property: string): string;
  close(): void;
}

export const hasTmux = spawnSync('tmux', ['-V']).status === 0;

let count = 0;

/** A terminal of that size with an interactive shell that knows the built program. */
export function openTerminal(
  repo: TestRepo,
  { columns = 100, rows = 24 }: { readonly columns?: number; readonly rows?: number } = {},
): Terminal {
  count += 1;
  const socket = `flame-test-${process.pid}-${count}`;
  const env = { ...repo.env, TERM: 'xterm-256color', TMUX_TMPDIR: makeTempDir() };
  const tmux = (...args: readonly string[]): string => {
    const { status, stdout, stderr } = spawnSync('tmux', ['-L', socket, '-f', '/dev/null', ...args], {
      env,
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(`tmux ${args[0]}: ${stderr}`);
    return stdout;
  };
  const shell = `cd '${repo.path}' && PATH='${programFolder}':$PATH PS1='$ ' exec sh -i`;
  // What a killed test would leave ends by itself.
  tmux(
    'new-session',
    '-d',
    '-x',
    `${columns}`,
    '-y',
    `${rows}`,
    `timeout --foreground 300 sh -c "${shell.replaceAll('$', '\\$')}"`,
  );
  const screen = (): string => tmux('capture-pane', '-p');
  return {
    screen,
    type: (...keys) => void tmux('send-keys', ...keys),
    resize: (x, y) => void tmux('resize-window', '-x', `${x}`, '-y', `${y}`),
    ask: (property) => tmux('display-message', '-p', `#{${property}}`).trim(),
    until: async (what) => {
      let seen = '';
      const isShown = (): boolean => {
        seen = screen();
        return what.test(seen);
      };
      await until(`the screen shows ${what}`, isShown, { limitMs: 60_000, details: () => seen });
      return seen;
    },
    close: () => void spawnSync('tmux', ['-L', socket, 'kill-server'], { env }),
  };
}
