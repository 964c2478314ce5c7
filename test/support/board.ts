import type { ChildProcess } from 'node:child_process';
import type { BoardState, BoardStreamLine } from '../../lib/domain/view-models/board-view.ts';
import { applyBoardChange, type BoardChange, type BoardMessage } from '../../lib/ui/board/board-changes.ts';
import type { FlameRun } from './flame.ts';
import { programEnd, startProgram } from './program.ts';
import type { TestRepo } from './repo.ts';

/** A board of a process of its own, seen as a tab sees it. */
export interface TestBoard {
  readonly child: ChildProcess;
  readonly url: string;
  /** The newest state that was heard of, once it is as wanted. */
  until(isWanted: (state: BoardState) => boolean): Promise<BoardState>;
  /** Anything else a tab may ask; the parsed answer. */
  ask(path: string, init?: RequestInit): Promise<{ readonly status: number; readonly value: unknown }>;
  /** The lines of an agent's stream, once they are as wanted. */
  stream(agent: string, isWanted: (lines: readonly BoardStreamLine[]) => boolean): Promise<readonly BoardStreamLine[]>;
  /** Ends it as Ctrl-C does. */
  end(): Promise<FlameRun>;
}

/** Works with `git flame board`, or another command that serves one; it is ended afterwards, whatever happens. */
export async function withBoard(
  repo: TestRepo,
  work: (board: TestBoard) => Promise<void>,
  argv?: readonly string[],
): Promise<void> {
  const board = await startBoard(repo, argv);
  try {
    await work(board);
  } finally {
    board.child.kill('SIGKILL');
  }
}

async function startBoard(repo: TestRepo, argv: readonly string[] = ['board', '--no-open']): Promise<TestBoard> {
  const child = startProgram(repo, argv);
  const ended = programEnd(child);
  const url = await boardAddress(child);
  return {
    ...visitBoard(url),
    ...{ child, url },
    end: () => {
      child.kill('SIGINT');
      return ended;
    },
  };
}

/** The address of the board that a command prints. */
export function boardAddress(child: ChildProcess): Promise<string> {
  return printedAddress(child, 'Board');
}

/** The address that a command prints behind the name of a page. */
export function printedAddress(child: ChildProcess, name: 'Board' | 'Review page'): Promise<string> {
  let said = '';
  return new Promise((resolve, reject) => {
    child.stderr?.on('data', (chunk: Buffer) => {
      said += chunk.toString();
      const url = new RegExp(`${name}: (\\S+)\\n`).exec(said)?.[1];
      if (url !== undefined) resolve(url);
    });
    child.on('close', () => reject(new Error(`no address (${name}), but: ${said}`)));
  });
}

/** A tab without a browser. */
export function visitBoard(url: string): Pick<TestBoard, 'until' | 'ask' | 'stream'> {
  const { origin, searchParams } = new URL(url);
  const headers = { 'x-flame-token': searchParams.get('token') ?? '' };
  const get = (path: string, init: RequestInit = {}): Promise<Response> =>
    fetch(`${origin}${path}`, { ...init, headers: { ...headers, ...init.headers } });
  return {
    ask: async (path, init) => {
      const response = await get(path, init);
      const text = await response.text();
      return { status: response.status, value: text.startsWith('{') ? JSON.parse(text) : text };
    },
    until: async (isWanted) => {
      let state: BoardState | null = null;
      for await (const word of events<BoardChange | BoardMessage>(await get('/api/events'))) {
        if ('trouble' in word || 'ended' in word) throw new Error(JSON.stringify(word));
        state = applyBoardChange(state, word);
        if (isWanted(state)) return state;
      }
      throw new Error(`the board ended: ${JSON.stringify(state)}`);
    },
    stream: async (agent, isWanted) => {
      const lines: BoardStreamLine[] = [];
      type Heard = { readonly lines?: readonly BoardStreamLine[]; readonly ended?: boolean };
      for await (const heard of events<Heard>(await get(`/api/stream/${agent}`))) {
        lines.push(...(heard.lines ?? []));
        if (isWanted(lines)) return lines;
        if (heard.ended !== undefined) throw new Error(`ended (${heard.ended}): ${JSON.stringify(lines)}`);
      }
      throw new Error(`the stream ended: ${JSON.stringify(lines)}`);
    },
  };
}

async function* events<Value>(response: Response): AsyncGenerator<Value> {
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    const whole = (text + decoder.decode(chunk, { stream: true })).split('\n\n');
    text = whole.pop() ?? '';
    for (const event of whole) if (event.startsWith('data: ')) yield JSON.parse(event.slice('data: '.length));
  }
}
