import { spawn, spawnSync } from 'node:child_process';

/** Whether a pseudo-terminal can be made here. */
export function hasPseudoTerminal(): boolean {
  return spawnSync('script', ['-qec', 'true', '/dev/null'], { input: '' }).status === 0;
}

/** What a program shows at a terminal, and the keys typed there. */
export interface Screen {
  /** All that was shown so far, without the escapes of the terminal. */
  text(): string;
  /** Types keys; resolves to what was shown since once that matches. Rejects when the program ends before. */
  type(keys: string, until: RegExp): Promise<string>;
  /** Resolves to the exit code. */
  end(keys: string): Promise<number | null>;
}

export interface ScreenOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly columns?: number;
}

/** Starts a command line of sh at a pseudo-terminal. It is ended after a minute without an end. */
export function openScreen(command: string, { cwd, env, columns = 100 }: ScreenOptions): Screen {
  const child = spawn('script', ['-qec', `stty columns ${columns} rows 50; exec ${command}`, '/dev/null'], {
    cwd,
    env: { TERM: 'xterm', ...env },
  });
  const watchdog = setTimeout(() => child.kill('SIGKILL'), 60_000);
  let [shown, isOver] = ['', false];
  let onNews = (): void => undefined;
  const ended = new Promise<number | null>((resolve) => {
    child.on('close', (code) => {
      clearTimeout(watchdog);
      isOver = true;
      onNews();
      resolve(code);
    });
  });
  child.stdout.on('data', (chunk: Buffer) => {
    shown += chunk.toString();
    onNews();
  });
  const text = (): string => stripEscapes(shown);
  const type = (keys: string, until: RegExp): Promise<string> => {
    const from = text().length;
    return new Promise((resolve, reject) => {
      onNews = () => {
        const news = text().slice(from);
        if (until.test(news)) resolve(news);
        else if (isOver) reject(new Error(`${until} never stood on the screen, but: ${text()}`));
      };
      child.stdin.write(keys);
      onNews();
    });
  };
  const end = (keys: string): Promise<number | null> => {
    child.stdin.write(keys);
    return ended;
  };
  return { text, type, end };
}

/** Plain text: escapes taken away, what was backspaced over too. */
function stripEscapes(text: string): string {
  const plain = text
    .replace(/\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[()][0-9A-B]|[=>78MDEHc])/g, '')
    .replace(/\r+\n/g, '\n');
  const letters: string[] = [];
  for (const letter of plain) {
    if (letter === '\b') letters.pop();
    else letters.push(letter);
  }
  return letters.join('');
}
