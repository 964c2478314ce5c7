import * as z from 'zod';
import { agentIdPattern, sessionIdPattern, taskIdPattern } from '../../domain/ids.ts';
import type { BoardStreamLine } from '../../domain/view-models/board-view.ts';
import type { MachineSession } from '../../domain/view-models/machine-sessions-view.ts';
import { isNonBlank } from '../../util/error-text.ts';
import { makePrintable } from '../page/escape-html.ts';
import { answerOrRefuse, createPageRefusal, notFoundRefusal } from '../page/page-refusals.ts';
import {
  type EventStream,
  type PageRequest,
  type PageResponse,
  type PageServerOptions,
  servePage,
} from '../page/page-server.ts';
import { fillTemplate, readPageScript, readTemplate } from '../page/page-template.ts';
import type { ReviewPageHandler } from '../review-page/open-review-page.ts';
import type { BoardEndMessage } from './board-changes.ts';
import { type BoardSource, BoardTabs } from './board-tabs.ts';

/** The board of one command, as long as it runs. */
export interface BoardServer {
  /** For the person: works until the command ends. */
  readonly url: string;
  /** Of the review page below it; null: there is none. */
  readonly reviewUrl: string | null;
  /** See PageServer. */
  openingUrl(onUsed: () => void): string;
  /** Says in every tab that it has ended, and stops serving. */
  close(): Promise<void>;
}

export interface BoardServerOptions {
  readonly source: BoardSource;
  /** How the person likes pages; remembered beyond this one. */
  readonly theme: { read(): Promise<Theme>; write(theme: Theme): Promise<void> };
  readonly serve?: Pick<PageServerOptions, 'host' | 'port' | 'address' | 'stranger'>;
  /** The message in every tab at the end, a sentence or two. */
  readonly farewell: BoardEndMessage;
  /** Is served below it. */
  readonly review?: ReviewPageHandler | null;
  /** Reads the person's sessions in other repositories; absent: this board doesn't show them. */
  readonly readOtherSessions?: () => Promise<readonly MachineSession[]>;
}

const themeSchema = z.strictObject({ theme: z.enum(['auto', 'dark', 'light']) });
type Theme = z.infer<typeof themeSchema>['theme'];

/** Serves the board. Rejects where the port is taken (EADDRINUSE). */
export async function openBoardServer(options: BoardServerOptions): Promise<BoardServer> {
  const { serve = {}, farewell, review = null } = options;
  const board = new Tabs(options);
  const pages = review === null ? ['/'] : ['/', '/review', '/review/'];
  const answer = (request: PageRequest): Promise<PageResponse> =>
    review !== null && request.path[0] === 'review'
      ? review.answer({ ...request, path: request.path.slice(1) })
      : board.answer(request);
  const server = await servePage(answer, { ...serve, pages });
  return {
    url: server.url,
    reviewUrl: review === null ? null : server.url.replace('/?', '/review/?'),
    openingUrl: (onUsed) => server.openingUrl(onUsed),
    close: async () => {
      await Promise.all([board.end(farewell), review?.end()]);
      await server.close();
    },
  };
}

const sessionSchema = z.string().regex(sessionIdPattern).nullable();

const answerSchema = z.strictObject({ gate: z.string().max(100), answer: z.unknown() });
const hintSchema = z.strictObject({
  agent: z.string().regex(agentIdPattern),
  text: z
    .string()
    .max(100_000)
    .refine(isNonBlank)
    .transform((text) => text.trim()),
});
const stopSchema = z.strictObject({ agent: z.string().regex(agentIdPattern), retry: z.boolean() });
const textSchema = z.enum(['plan', 'diff', 'message']);

class Tabs {
  readonly #source: BoardSource;
  readonly #theme: BoardServerOptions['theme'];
  readonly #hasReview: boolean;
  readonly #readOtherSessions: NonNullable<BoardServerOptions['readOtherSessions']>;
  /** By session; '': the current one. */
  readonly #open = new Map<string, BoardTabs>();
  readonly #over = new AbortController();

  constructor({ source, theme, review = null, readOtherSessions }: Omit<BoardServerOptions, 'serve' | 'farewell'>) {
    this.#readOtherSessions = readOtherSessions ?? (async () => []);
    this.#hasReview = review !== null;
    this.#source = source;
    this.#theme = theme;
  }

  async end(farewell: BoardEndMessage): Promise<void> {
    this.#over.abort();
    await Promise.all([...this.#open.values()].map((tabs) => tabs.end(farewell)));
  }

  async answer({ method, path, query, body }: PageRequest): Promise<PageResponse> {
    const [api, what, name = ''] = path;
    if (method === 'POST' && path.join('/') === 'api/answer') return this.#answerGate(query, body);
    if (method === 'POST' && path.join('/') === 'api/hint') return this.#tell(body);
    if (method === 'POST' && path.join('/') === 'api/stop') return this.#stop(body);
    if (method === 'POST' && path.join('/') === 'api/theme') return this.#like(body);
    if (method !== 'GET') return notFoundRefusal;
    if (api === undefined) return { kind: 'page', render: (nonce) => renderBoard(nonce, this.#hasReview) };
    const session = sessionSchema.safeParse(query.get('session'));
    if (api !== 'api' || !session.success) return notFoundRefusal;
    if (what === 'theme') return answerOrRefuse(async () => ({ theme: await this.#theme.read() }));
    if (what === 'other-sessions') return answerOrRefuse(async () => ({ sessions: await this.#readOtherSessions() }));
    if (what === 'events') return { kind: 'events', open: (stream) => this.#tabsOf(session.data).add(stream) };
    if (what === 'task' && taskIdPattern.test(name)) return answerOrRefuse(() => this.#source.task(session.data, name));
    if (what === 'gate' && path.length === 4) return this.#gateText(session.data, name, path[3]);
    if (what === 'stream' && agentIdPattern.test(name))
      return { kind: 'events', open: (stream) => void this.#follow(name, stream) };
    return notFoundRefusal;
  }

  async #like(body: unknown): Promise<PageResponse> {
    const parsed = themeSchema.safeParse(body);
    if (!parsed.success) return createPageRefusal(400, 'This is not a theme.');
    await this.#theme.write(parsed.data.theme);
    return { kind: 'json', value: {} };
  }

  async #answerGate(query: URLSearchParams, body: unknown): Promise<PageResponse> {
    const session = sessionSchema.safeParse(query.get('session'));
    const given = answerSchema.safeParse(body);
    if (!session.success || !given.success) return createPageRefusal(400, 'This is not an answer to a question.');
    return answerOrRefuse(() => this.#source.answer(session.data, given.data).then(() => ({})));
  }

  async #tell(body: unknown): Promise<PageResponse> {
    const given = hintSchema.safeParse(body);
    if (!given.success) return createPageRefusal(400, 'This is not a message: it must name an agent and have a text.');
    return answerOrRefuse(() => this.#source.sendHint(given.data.agent, given.data.text).then(() => ({})));
  }

  async #stop(body: unknown): Promise<PageResponse> {
    const given = stopSchema.safeParse(body);
    if (!given.success) return createPageRefusal(400, 'This does not say which agent to stop, and how.');
    return answerOrRefuse(() => this.#source.stopAgent(given.data.agent, given.data.retry).then(() => ({})));
  }

  async #gateText(session: string | null, gate: string, what: string | undefined): Promise<PageResponse> {
    const parsed = textSchema.safeParse(what);
    if (!parsed.success) return notFoundRefusal;
    return answerOrRefuse(async () => {
      const text = await this.#source.gateText(session, gate, parsed.data);
      return text === null ? null : { text };
    });
  }

  #tabsOf(session: string | null): BoardTabs {
    const key = session ?? '';
    const known =
      this.#open.get(key) ?? new BoardTabs(this.#source, { session, onEmpty: () => this.#open.delete(key) });
    this.#open.set(key, known);
    return known;
  }

  async #follow(agent: string, stream: EventStream): Promise<void> {
    const closed = new AbortController();
    stream.onClose(() => closed.abort());
    const hear = (lines: readonly BoardStreamLine[]): void => stream.send(makePrintable({ lines }));
    const signal = AbortSignal.any([closed.signal, this.#over.signal]);
    const isThere = await this.#source.follow(agent, hear, signal).catch(() => false);
    stream.send({ ended: isThere });
    stream.end();
  }
}

/**
 * The page that the board is drawn in: nothing of a session is in it yet. `nonce`: what style and script are let in by;
 * `hasReview`: the review page is served below it.
 */
function renderBoard(nonce: string, hasReview: boolean): string {
  return fillTemplate('board', {
    nonce,
    review: hasReview,
    style: readTemplate('page.css') + readTemplate('board.css'),
    script: readPageScript('board'),
  });
}
