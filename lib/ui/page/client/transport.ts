const token = new URLSearchParams(location.search).get('token') ?? '';
/** Where the page is on its server: '' at its top, `/review` below that. */
const base = location.pathname.replace(/\/+$/, '');

export interface Reply {
  /** '' or what is wrong. */
  readonly problem: string;
  /** The run comes back to it: to be sent again then. */
  readonly isBusy: boolean;
}

/** Sends a decision; resolves to the server's reply. */
export async function post(path: string, body: unknown): Promise<Reply> {
  try {
    const text = JSON.stringify(body);
    // So that it arrives although the tab is closed at once; a browser lets only so much go on.
    const keepalive = text.length < 16_000;
    const response = await ask(path, { method: 'POST', body: text, keepalive });
    const isBusy = response.status === 202;
    if (response.ok && !isBusy) return { problem: '', isBusy };
    const answer: { message?: string } = await response.json();
    return { problem: answer.message ?? 'It was refused.', isBusy };
  } catch {
    return { problem: 'git flame does not answer any more.', isBusy: false };
  }
}

/** A piece of the page. Throws an Error to show where there is none. */
export async function getHtml(path: string): Promise<string> {
  const response = await get(path);
  if (response.ok) return response.text();
  throw new Error(
    response.status === 404 ? 'This was built again: load the page again.' : await response.text(),
  );
}

/** A value of the page. Throws an Error to show where there is none. */
export async function getJson<Value>(path: string): Promise<Value> {
  const response = await get(path);
  if (response.ok) return response.json();
  const answer: { message?: string } = await response.json().catch(() => ({}));
  throw new Error(answer.message ?? 'It was refused.');
}

async function get(path: string): Promise<Response> {
  return ask(path).catch(() => {
    throw new Error('git flame does not answer any more, so this part cannot be loaded.');
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
    for (const event of events)
      if (event.startsWith('data: ')) onValue(JSON.parse(event.slice('data: '.length)));
  }
}

function ask(path: string, init: RequestInit = {}): Promise<Response> {
  return fetch(`${base}${path}`, { ...init, headers: { 'x-flame-token': token }, cache: 'no-store' });
}
