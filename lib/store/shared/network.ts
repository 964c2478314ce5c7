import { FlameError } from '../../domain/flame-error.ts';
import type { GitContext } from '../../git/process/run-git.ts';
import type { SshConnection } from '../../git/process/ssh-connection.ts';

/** How git gets to the remote: within a time, and by a connection that is kept where there is one. */
export class Network {
  readonly #context: GitContext;
  readonly #connection: SshConnection | null;
  readonly #patienceMs: number;

  /** `patienceMs`: no answer of the remote is waited for any longer. */
  constructor(
    context: GitContext,
    { connection, patienceMs }: { readonly connection: SshConnection | null; readonly patienceMs: number },
  ) {
    this.#context = connection?.context ?? context;
    this.#connection = connection;
    this.#patienceMs = patienceMs;
  }

  /** git without a limit of time. */
  get context(): GitContext {
    return this.#context;
  }

  /** Has git talk to the remote. The wait for a connection counts as part of its time. */
  async use<T>(work: (git: GitContext) => Promise<T>): Promise<T> {
    const began = performance.now();
    await this.#connection?.ready(this.#patienceMs / 4);
    const wallMs = Math.ceil(this.#patienceMs - (performance.now() - began));
    // A server that accepts and never answers would hold git for ever, and with it the sign of life.
    const limits = { wallMs, cpuSeconds: 600, memoryMb: 8_192 };
    try {
      const result = await work({ ...this.#context, guard: { limits } });
      this.#connection?.worked();
      return result;
    } catch (error) {
      if (isOfLine(error)) this.#connection?.failed();
      throw error;
    }
  }
}

function isOfLine(error: unknown): boolean {
  return (
    error instanceof FlameError &&
    ['remote-unreachable', 'push-failed', 'cell-git-ended'].includes(error.code)
  );
}
