import { FlameError } from '../../domain/flame-error.ts';
import type { ChangesetDecision, ChangesetQuestion } from '../../domain/ports/changeset-question.ts';
import {
  answerOrRefuse,
  createPageRefusal,
  describeFirstSchemaIssue,
  notFoundRefusal,
  type PageRefusal,
} from '../page/page-refusals.ts';
import {
  type EventStream,
  type PageRequest,
  type PageResponse,
  type PageServerOptions,
  servePage,
} from '../page/page-server.ts';
import { ChangesetHtml, renderRequestedHtml } from './changeset-html.ts';
import { type PageFacts, type PagePhase, type PageSource, type PageState, phaseMessages } from './page-facts.ts';
import { parsePageDecision } from './parse-page-decision.ts';
import { renderPage, renderState } from './render-page.ts';
import { decideRequestSchema, type PageStorage, StoredPageState, takeBackRequestSchema } from './stored-page-state.ts';

/** The review page of one command, as long as it runs. */
export interface ReviewPage extends Pick<ReviewPageHandler, 'ask' | 'refresh'> {
  /** For the person: works until the command ends. */
  readonly url: string;
  /** See PageServer. */
  openingUrl(onUsed: () => void): string;
  /** Says in every tab that the run has ended, and stops serving. */
  close(): Promise<void>;
}

/** Serves the review page. */
export async function openReviewPageServer(
  options: ReviewPageOptions,
  serve: Pick<PageServerOptions, 'stranger'> = {},
): Promise<ReviewPage> {
  const page = new ReviewPageHandler(options);
  const server = await servePage((request) => page.answer(request), serve);
  return {
    url: server.url,
    openingUrl: (onUsed) => server.openingUrl(onUsed),
    ask: (question, withdrawn) => page.ask(question, withdrawn),
    refresh: () => page.refresh(),
    close: async () => {
      await page.end();
      await server.close();
    },
  };
}

export interface ReviewPageOptions extends PageStorage {
  readonly source: PageSource;
}

interface OpenQuestion {
  readonly question: ChangesetQuestion;
  answer(decision: ChangesetDecision): void;
}

/**
 * The review page without a server of its own, for a server that serves other pages too. Nothing but the gate that asks,
 * or the engine through it, acts on what is decided there.
 */
export class ReviewPageHandler {
  readonly #source: PageSource;
  readonly #remembered: StoredPageState;
  readonly #streams = new Set<EventStream>();
  readonly #shown: ChangesetHtml;
  #asked: OpenQuestion | null = null;
  #hasEnded = false;
  #telling: Promise<void> = Promise.resolve();

  constructor({ source, ...remembered }: ReviewPageOptions) {
    this.#source = source;
    this.#remembered = new StoredPageState(remembered);
    this.#shown = new ChangesetHtml(source);
  }

  /** Resolves to what the person decided on the page; rejects when `withdrawn` aborts, with its reason. */
  ask(question: ChangesetQuestion, withdrawn: AbortSignal): Promise<ChangesetDecision> {
    return new Promise((resolve, reject) => {
      const settle = (act: () => void): void => {
        this.#asked = null;
        withdrawn.removeEventListener('abort', onWithdrawn);
        this.refresh();
        act();
      };
      const onWithdrawn = (): void => settle(() => reject(withdrawn.reason));
      if (withdrawn.aborted) return onWithdrawn();
      this.#shown.prepare(question.changeset);
      withdrawn.addEventListener('abort', onWithdrawn);
      this.#asked = { question, answer: (decision) => settle(() => resolve(decision)) };
      this.refresh();
    });
  }

  /** Sends every tab the state: one after the other, and what happened while one was read is in the next. */
  refresh(): void {
    this.#shown.forgetEffects();
    this.#telling = this.#telling.then(() => this.#tell()).catch(() => undefined);
  }

  /** Shows in every tab that the run has ended. */
  async end(): Promise<void> {
    this.#hasEnded = true;
    this.refresh();
    await this.#telling;
    for (const stream of this.#streams) stream.end();
  }

  /** Paths begin where the page does. */
  async answer({ method, path, query, body }: PageRequest): Promise<PageResponse> {
    if (method === 'POST' && path.join('/') === 'api/decide') return this.#decide(body);
    if (method === 'POST' && path.join('/') === 'api/take-back') return this.#takeBack(body);
    if (method === 'POST' && path.join('/') === 'api/preferences') return this.#remembered.prefer(body);
    if (method === 'POST' && path.join('/') === 'api/keep') return this.#remembered.keep(body);
    const [api, what, id = '', commit = '', file, part] = path;
    if (method !== 'GET') return notFoundRefusal;
    if (api === undefined) return this.#shell();
    if (api !== 'api') return notFoundRefusal;
    if (what === 'events') return { kind: 'events', open: (stream) => this.#addStream(stream) };
    if (what === 'message') return this.#message(id);
    if (what !== 'changeset') return notFoundRefusal;
    const facts = (await this.#source.read()).changesets.find(
      ({ changeset }) => changeset.id === id && changeset.commit === commit,
    );
    if (facts === undefined) return notFoundRefusal;
    return renderRequestedHtml(this.#shown, facts, { file, part, query, asked: this.#asked?.question });
  }

  async #shell(): Promise<PageResponse> {
    const facts = await this.#source.read();
    const remembered = await this.#remembered.read();
    const { layout } = remembered.preferences;
    const article = await this.#shown.first(facts.changesets, { layout, asked: this.#asked?.question });
    const all = { ...remembered, facts, state: this.#state(facts), article };
    return { kind: 'page', render: (nonce) => renderPage({ ...all, nonce }) };
  }

  /** A changeset's commit message; none where the commits of its tasks land, or nothing is decided now. */
  async #message(id: string): Promise<PageResponse> {
    const message = (await this.#asked?.question.messageOf?.(id)) ?? null;
    return message === null ? notFoundRefusal : { kind: 'json', value: { message } };
  }

  async #decide(body: unknown): Promise<PageResponse> {
    const parsed = decideRequestSchema.safeParse(body);
    if (!parsed.success) return createPageRefusal(400, describeFirstSchemaIssue(parsed.error));
    const { changeset: id } = parsed.data;
    const asked = this.#asked ?? this.#nobodyAsks();
    if ('kind' in asked) return asked;
    const all = await this.#source.read();
    const facts = all.changesets.find(({ changeset }) => changeset.id === id);
    const needs = this.#state(all).changesets.find((one) => one.id === id)?.needs ?? '';
    const hasMessage = ((await asked.question.messageOf?.(id)) ?? null) !== null;
    const decision = orProblem(() => parsePageDecision(facts, { ...parsed.data, id, needs, hasMessage }));
    if ('value' in decision) return decision;
    if (decision.kind === 'approve' && facts !== undefined) {
      const refusal = await this.#shown.refusal(facts.changeset);
      if (refusal !== null) return createPageRefusal(422, refusal);
      const { message } = decision;
      const wrong = message === undefined ? null : await asked.question.checkMessage?.(id, message);
      if (typeof wrong === 'string') return createPageRefusal(422, wrong);
    }
    return this.#act(asked, id, decision);
  }

  /** Between two questions no answer is taken: the page sends it again at the next one. */
  #nobodyAsks(): PageResponse {
    return this.#hasEnded
      ? createPageRefusal(409, phaseMessages.ended)
      : { kind: 'json', status: 202, value: { message: phaseMessages.working } };
  }

  async #takeBack(body: unknown): Promise<PageResponse> {
    const parsed = takeBackRequestSchema.safeParse(body);
    if (!parsed.success) return createPageRefusal(400, describeFirstSchemaIssue(parsed.error));
    const asked = this.#asked ?? this.#nobodyAsks();
    if ('kind' in asked) return asked;
    return answerOrRefuse(async () => {
      await asked.question.takeBack?.(parsed.data.changeset, 'review page');
      const { id, commit } = asked.question.changeset;
      const { changesets } = await this.#source.read();
      const isThere = changesets.some(
        ({ changeset: one }) => one.id === id && one.commit === commit && one.state === 'waiting',
      );
      // The open question is gone with the decision taken back.
      if (!isThere && this.#asked === asked) asked.answer({ kind: 'again' });
      this.refresh();
      return {};
    });
  }

  async #act(asked: OpenQuestion, id: string, decision: ChangesetDecision): Promise<PageResponse> {
    if (this.#asked !== asked) return createPageRefusal(409, 'The question has just been answered elsewhere.');
    return answerOrRefuse(async () => {
      // A suggestion or choice may be refused, which would end the gate.
      if (asked.question.changeset.id === id && isEnd(decision)) {
        asked.answer(decision);
        return {};
      }
      await asked.question.decideOther(id, { ...decision, where: 'review page' });
      // The gate may have come to this one while it was decided.
      const now: OpenQuestion | null = this.#asked;
      if (now?.question.changeset.id === id) now.answer(isEnd(decision) ? decision : { kind: 'again' });
      this.refresh();
      return {};
    });
  }

  #state(facts: PageFacts): PageState {
    const phase: PagePhase = this.#hasEnded ? 'ended' : this.#asked === null ? 'working' : 'deciding';
    return renderState(facts, phase, phaseMessages[phase]);
  }

  #addStream(stream: EventStream): void {
    this.#streams.add(stream);
    stream.onClose(() => this.#streams.delete(stream));
    this.refresh();
  }

  async #tell(): Promise<void> {
    if (this.#streams.size === 0) return;
    const state = this.#state(await this.#source.read());
    for (const stream of this.#streams) stream.send(state);
  }
}

/** Whether nothing waits of the changeset after that. */
function isEnd({ kind }: ChangesetDecision): boolean {
  return kind === 'approve' || kind === 'reject' || kind === 'skip';
}

/** An answer that is none is a problem for the page to show. */
function orProblem<Answer>(read: () => Answer): Answer | PageRefusal {
  try {
    return read();
  } catch (error) {
    if (error instanceof FlameError) return createPageRefusal(422, error.message);
    throw error;
  }
}
