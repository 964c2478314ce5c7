import { HttpLooks, throughFd } from './http-looks.ts';
import { HttpPushes } from './http-pushes.ts';
import type { KeptConnection, PushEnd, PushSpec } from './kept-connection.ts';
import type { HttpRemote } from './remote-helper.ts';
import { type GitContext, gitText } from './run-git.ts';
import { SleepWatch } from './sleep-watch.ts';

/**
 * What all git of a run has of a remote by http: a connection for what is fetched and one for what is pushed, each held
 * by a program of git's own that is kept running, with the person's credentials, proxy and certificates.
 */
class HttpConnection implements KeptConnection {
  readonly context: GitContext;
  readonly #looks: HttpLooks | null;
  readonly #pushes: HttpPushes | null;
  readonly #sleep = new SleepWatch();

  constructor(context: GitContext, looks: HttpLooks | null, pushes: HttpPushes | null) {
    this.context = context;
    this.#looks = looks;
    this.#pushes = pushes;
  }

  async ready(purpose: 'fetch' | 'push', mostMs: number): Promise<GitContext> {
    if (this.#sleep.hasSlept()) this.failed();
    if (purpose === 'push') return this.context;
    return (await this.#looks?.ready(mostMs)) ?? this.context;
  }

  async push(git: GitContext, specs: readonly PushSpec[], isAtomic: boolean): Promise<PushEnd | null> {
    // With a branch git push moves also what this clone knows of it.
    if (this.#pushes === null || specs.some(({ to }) => to.startsWith('refs/heads/'))) return null;
    return this.#pushes.push(git, specs, isAtomic);
  }

  worked(): void {
    this.#looks?.worked();
  }

  failed(): void {
    this.#looks?.renew();
    this.#pushes?.renew();
  }

  async close(): Promise<void> {
    await Promise.all([this.#looks?.close(), this.#pushes?.close()]);
  }
}

/** For git that talks to a remote by http or https. Nothing is asked of it yet. */
export async function openHttpConnection(
  context: GitContext,
  { remote, url }: HttpRemote,
): Promise<KeptConnection | null> {
  const read = (args: readonly string[]): Promise<string> =>
    gitText(context, args, { accept: [0, 1, 2, 128] });
  const [configured, pushUrl, pushOptions, promised] = await Promise.all([
    read(['config', '--get-all', `remote.${remote}.url`]),
    read(['remote', 'get-url', '--push', '--all', remote]),
    read(['config', '--get-all', 'push.pushOption']),
    read(['config', '--get-regexp', '^(remote\\..*\\.promisor|extensions\\.partialclone)$']),
  ]);
  const [first = ''] = configured.split('\n');
  const variables = throughFd(first === '' ? remote : first);
  const through = await gitText({ ...context, variables }, ['ls-remote', '--get-url', remote]);
  // What git fetches besides, in the middle of another command, would go there as well.
  const mayLook = through === 'fd::3' && promised === '';
  // They are for git push to send along.
  const mayPush = (pushUrl === '' || pushUrl === url) && pushOptions === '';
  return new HttpConnection(
    context,
    mayLook ? new HttpLooks(context, { remote, url }, first === '' ? remote : first) : null,
    mayPush ? new HttpPushes(context, { remote, url }) : null,
  );
}
