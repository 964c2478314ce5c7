import { FlameError } from '../../domain/flame-error.ts';
import type { KeptConnection } from '../../git/process/kept-connection.ts';
import type { GitContext } from '../../git/process/run-git.ts';
import { remoteSilent } from '../sync/errors.ts';
import type { KeptPush } from '../sync/remote.ts';

// A slow machine has much to start for it.
const firstAnswerMs = 60_000;

/** How git gets to the remote: within a time, and by a connection that is kept where there is one. */
export class Network {
  readonly #remote: string;
  readonly #plain: GitContext;
  readonly #connection: KeptConnection | null;
  readonly #mostMs: number;
  #hasAnswered = false;

  /** `patienceMs`: no answer of the remote is waited for any longer; the first one has a minute at least. */
  constructor(
    context: GitContext,
    {
      remote,
      connection,
      patienceMs,
    }: { readonly remote: string; readonly connection: KeptConnection | null; readonly patienceMs: number },
  ) {
    this.#remote = remote;
    this.#plain = connection?.context ?? context;
    this.#connection = connection;
    this.#mostMs = patienceMs;
  }

  /** Has git fetch from the remote. The wait for a connection counts as part of its time; `mostMs` null: it has all there is. */
  async fetch<T>(
    work: (git: GitContext) => Promise<T>,
    mostMs: number | null = this.#patienceMs,
  ): Promise<T> {
    const within = this.#limitedTo(mostMs);
    const git = await this.#ready('fetch');
    try {
      return await this.#tell(() => work(within(git)));
    } catch (error) {
      // What was kept may be why: git that connects by itself gets there, or can say why not.
      if (git.attach === undefined || !isOfLine(error)) throw error;
      return this.#tell(() => work(within(this.#plain)));
    }
  }

  /** Has git push to the remote; `kept`, where it can, needs no connection of its own for that. */
  async push<T>(work: (git: GitContext, kept: KeptPush) => Promise<T>): Promise<T> {
    const within = this.#limitedTo(this.#patienceMs);
    const git = within(await this.#ready('push'));
    const kept: KeptPush = async (specs, isAtomic) =>
      (await this.#connection?.push(git, specs, isAtomic)) ?? null;
    return this.#tell(() => work(git, kept));
  }

  async #ready(purpose: 'fetch' | 'push'): Promise<GitContext> {
    return (await this.#connection?.ready(purpose, this.#patienceMs / 4)) ?? this.#plain;
  }

  get #patienceMs(): number {
    return this.#hasAnswered ? this.#mostMs : Math.max(this.#mostMs, firstAnswerMs);
  }

  /** From now on: a server that accepts and never answers would hold git for ever, and with it the sign of life. */
  #limitedTo(mostMs: number | null): (git: GitContext) => GitContext {
    const began = performance.now();
    const told = (cause: string): FlameError => remoteSilent(this.#remote, cause);
    return (git) => {
      if (mostMs === null) return git;
      const wallMs = Math.max(1, Math.ceil(mostMs - (performance.now() - began)));
      return { ...git, guard: { limits: { wallMs, cpuSeconds: 600, memoryMb: 8_192 }, told } };
    };
  }

  async #tell<T>(work: () => Promise<T>): Promise<T> {
    try {
      const result = await work();
      this.#hasAnswered = true;
      this.#connection?.worked();
      return result;
    } catch (error) {
      if (isOfLine(error)) this.#connection?.failed();
      throw error;
    }
  }
}

function isOfLine(error: unknown): boolean {
  return error instanceof FlameError && ['remote-unreachable', 'push-failed'].includes(error.code);
}
