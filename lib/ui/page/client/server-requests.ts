import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

/** Where the page is on its server: '' at its top, `/review` below that. */
export const pageBase = location.pathname.replace(/\/+$/, '');
const token = new URLSearchParams(location.search).get('token') ?? '';

export interface ServerReply {
  /** '' or what is wrong. */
  readonly problem: string;
  /** The run comes back to it: to be sent again then. */
  readonly isBusy: boolean;
}

/** Sends a decision; resolves to the server's reply. */
export async function postJson(path: string, body: unknown): Promise<ServerReply> {
  try {
    const text = JSON.stringify(body);
    // So that it arrives although the tab is closed at once; a browser lets only so much go on.
    const keepalive = text.length < 16_000;
    const response = await ask(path, { method: 'POST', body: text, keepalive });
    const isBusy = response.status === 202;
    if (response.ok && !isBusy) return { problem: '', isBusy };
    return { problem: await readRefusal(response), isBusy };
  } catch {
    return { problem: 'git flame is not responding.', isBusy: false };
  }
}

/** A piece of the page. Throws an Error to show where there is none. */
export async function getHtml(path: string): Promise<string> {
  const response = await get(path);
  if (response.ok) return response.text();
  throw new Error(response.status === 404 ? 'This changeset was rebuilt: reload the page.' : await response.text());
}

/** A value of the page. Throws an Error to show where there is none. */
export async function getJson<Value>(path: string): Promise<Value> {
  const response = await get(path);
  if (response.ok) return response.json();
  throw new Error(await readRefusal(response));
}

/** Why the server refused, as it says: in a field, or where it failed as plain text. */
async function readRefusal(response: Response): Promise<string> {
  const text = await response.text();
  try {
    const { message }: { message?: string } = JSON.parse(text);
    return message ?? 'The request was refused.';
  } catch {
    return text.trim() || 'The request was refused.';
  }
}

async function get(path: string): Promise<Response> {
  return ask(path).catch(() => {
    throw new Error('git flame is not responding, so this part cannot be loaded.');
  });
}

interface FollowOptions {
  readonly signal?: AbortSignal;
  /** Called at each message or ping of the server. */
  readonly onSign?: () => void;
}

/** Calls back with each value the server sends; resolves when the stream has ended. Throws where it breaks or is refused. */
export async function followEvents<Value>(
  path: string,
  onValue: (value: Value) => void,
  { signal, onSign }: FollowOptions = {},
): Promise<void> {
  const response = await ask(path, signal === undefined ? {} : { signal });
  if (!response.ok) throw new Error(await response.text());
  if (response.body === null) return;
  let text = '';
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    onSign?.();
    const events = (text + chunk).split('\n\n');
    text = events.pop() ?? '';
    for (const event of events) if (event.startsWith('data: ')) onValue(JSON.parse(event.slice('data: '.length)));
  }
}

function ask(path: string, init: RequestInit = {}): Promise<Response> {
  return fetch(`${pageBase}${path}`, { ...init, headers: { 'x-flame-token': token }, cache: 'no-store' });
}

/** Loads a value, again whenever `of` changes; null before the first time, an Error where it can't be had. */
export function useLoaded<Value>(load: () => Promise<Value>, of?: unknown): Value | Error | null {
  const loaded = useSignal<Value | Error | null>(null);
  useEffect(() => {
    let isWanted = true;
    const take = (value: Value | Error): void => {
      if (isWanted) loaded.value = value;
    };
    load().then(take, (error: unknown) => take(error instanceof Error ? error : new Error(String(error))));
    return () => {
      isWanted = false;
    };
  }, [of]);
  return loaded.value;
}

/** The server says that it is there every twenty seconds. */
const longestSilenceMs = 50_000;
const pauses = [300, 1_000, 3_000, 10_000];

interface LineOptions<Value> {
  /** Where it is listened, now. */
  path(): string;
  onValue(value: Value): void;
  /** Nothing is heard any more: what is shown may be old. `reason`: what the server said last, or ''. */
  onLost(reason: string): void;
}

/** A line to the server, taken up again whenever it breaks: a tab may sleep for days. */
export interface EventConnection {
  /** Begins again. */
  restart(): void;
  /** Nothing comes any more, and that is right. */
  stop(): void;
}

export function keepEventConnection<Value>({ path, onValue, onLost }: LineOptions<Value>): EventConnection {
  let current = new AbortController();
  let heardAt = Date.now();
  let isOver = false;
  const onSign = (): void => {
    heardAt = Date.now();
  };
  const follow = async ({ signal }: AbortController): Promise<void> => {
    for (let failures = 0; !signal.aborted && !isOver; failures += 1) {
      const hear = (value: Value): void => {
        failures = 0;
        onValue(value);
      };
      onSign();
      const reason = await followEvents(path(), hear, { signal, onSign }).then(
        () => '',
        (error: unknown) => (error instanceof Error ? error.message : ''),
      );
      if (signal.aborted || isOver) return;
      onLost(reason);
      await new Promise((resolve) => setTimeout(resolve, pauses[Math.min(failures, pauses.length - 1)]));
    }
  };
  const restart = (): void => {
    current.abort();
    current = new AbortController();
    isOver = false;
    void follow(current);
  };
  const check = (): void => {
    if (isOver || Date.now() - heardAt <= longestSilenceMs) return;
    onLost('');
    restart();
  };
  setInterval(check, 10_000);
  // Timers of a tab that sleeps stand still.
  document.addEventListener('visibilitychange', check);
  window.addEventListener('online', check);
  void follow(current);
  return {
    restart,
    stop: () => {
      isOver = true;
    },
  };
}
