import type { GitContext } from './run-git.ts';

/** A ref of a remote that is to be moved. */
export interface PushSpec {
  /** '': it is to be gone. */
  readonly from: string;
  readonly to: string;
  /** Where the ref must be on the remote, null: nowhere; not given: wherever `from` goes on from. */
  readonly expected?: string | null;
}

/** What a push came to, as `git push --porcelain` says it. */
export interface PushEnd {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A connection to a remote that outlasts a git. Where it isn't there, git connects by itself as ever. */
export interface KeptConnection {
  /** For git that nobody waits for here. */
  readonly context: GitContext;
  /** For the next git of that purpose; resolves once it can be used, can't be had, or the time is over. */
  ready(purpose: 'fetch' | 'push', mostMs: number): Promise<GitContext>;
  /** Sends a push under the limits of `git`, which is to do it itself where null is answered: nothing was sent. */
  push(git: GitContext, specs: readonly PushSpec[], isAtomic: boolean): Promise<PushEnd | null>;
  /** git reached the remote. */
  worked(): void;
  /** git didn't reach the remote: the next one gets a new connection. */
  failed(): void;
  close(): Promise<void>;
}
