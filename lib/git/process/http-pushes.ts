import type { PushEnd, PushSpec } from './kept-connection.ts';
import { guardGit } from './limit-git.ts';
import { type HttpRemote, RemoteHelper } from './remote-helper.ts';
import type { GitContext } from './run-git.ts';

/**
 * Pushes over one connection, by what `git push` itself would ask of the helper. Where the refs are is asked for each
 * push anew, and what the helper then sends names those values: the server moves nothing that has left them. So what
 * is expected is compared here, and the helper's own way to (`option cas`), which adds up as it runs, isn't used.
 */
export class HttpPushes {
  readonly #context: GitContext;
  readonly #remote: HttpRemote;
  #helper: RemoteHelper | null = null;
  #isBusy = false;

  constructor(context: GitContext, remote: HttpRemote) {
    this.#context = context;
    this.#remote = remote;
  }

  /** See KeptConnection. At its time limit it throws what its guard tells. */
  async push({ guard }: GitContext, specs: readonly PushSpec[], isAtomic: boolean): Promise<PushEnd | null> {
    if (this.#isBusy) return null;
    this.#isBusy = true;
    if (this.#helper?.isEnded === true) this.#helper = null;
    this.#helper ??= new RemoteHelper(this.#context, this.#remote);
    const helper = this.#helper;
    helper.hold(true);
    const watch = guardGit(guard, (name) => helper.signal(name));
    try {
      const end = await pushBy(helper, specs, isAtomic);
      // It ends by itself where a push was refused, and knows where the refs are until one is sent.
      if (end?.exitCode !== 0) this.#drop();
      watch.ended(null);
      const why = watch.explain('push', end?.stderr ?? '');
      if (why !== null && end?.exitCode !== 0) throw why;
      return end;
    } finally {
      watch.ended(null);
      helper.hold(false);
      this.#isBusy = false;
    }
  }

  /** What is under way ends by itself or at its time limit. */
  renew(): void {
    if (!this.#isBusy) this.#drop();
  }

  async close(): Promise<void> {
    await this.#helper?.close();
  }

  #drop(): void {
    this.#helper?.kill();
    this.#helper = null;
  }
}

async function pushBy(
  helper: RemoteHelper,
  specs: readonly PushSpec[],
  isAtomic: boolean,
): Promise<PushEnd | null> {
  helper.takeComplaints();
  helper.write(`option atomic ${isAtomic}\nlist for-push\n`);
  if ((await helper.said.line()) !== 'ok') return null;
  const tips = await readTips(helper);
  if (tips === null) return null;
  const stale = specs.filter((spec) => isStale(spec, tips));
  const wanted = specs.filter((spec) => !stale.includes(spec) && (spec.from !== '' || tips.has(spec.to)));
  const refused = stale.map(({ to }) => rejection(to, 'stale info'));
  if (wanted.length === 0 || (isAtomic && stale.length > 0))
    return { exitCode: 1, stdout: refused.join(''), stderr: '' };
  helper.write(`${wanted.map(askFor).join('')}\n`);
  const rest = new Set(wanted.map(({ to }) => to));
  for (let line = await helper.said.line(); line !== ''; line = await helper.said.line()) {
    // It ends at the first that doesn't succeed, and what the server wrote is known to be here.
    if (line === null) break;
    const [, how, ref = '', why = ''] = line.match(/^(ok|error) (\S+) ?(.*)$/) ?? [];
    if (how === 'ok') rest.delete(ref);
    // It names also what was not asked for.
    if (how === 'error' && rest.has(ref)) refused.push(rejection(ref, reasonOf(why)));
  }
  if (rest.size > 0) await helper.ended;
  const exitCode = rest.size + stale.length > 0 ? 1 : 0;
  return { exitCode, stdout: refused.join(''), stderr: helper.takeComplaints() };
}

/** Where each ref is; null: it can't be asked. */
async function readTips(helper: RemoteHelper): Promise<ReadonlyMap<string, string> | null> {
  const tips = new Map<string, string>();
  for (let line = await helper.said.line(); line !== ''; line = await helper.said.line()) {
    if (line === null) return null;
    const [, tip, ref] = line.match(/^([\da-f]+) (\S+)/) ?? [];
    if (tip !== undefined && ref !== undefined) tips.set(ref, tip);
  }
  return tips;
}

function isStale({ from, to, expected }: PushSpec, tips: ReadonlyMap<string, string>): boolean {
  const tip = tips.get(to) ?? null;
  return expected !== undefined && tip !== expected && tip !== from;
}

/** By force where it was compared: else the helper has it refused unless it goes on from what is there. */
function askFor({ from, to, expected }: PushSpec): string {
  const force = from !== '' && expected !== undefined ? '+' : '';
  return `push ${force}${from}:${to}\n`;
}

function rejection(ref: string, reason: string): string {
  return `!\t:${ref}\t[rejected]${reason === '' ? '' : ` (${reason})`}\n`;
}

const words: Readonly<Record<string, string>> = {
  'non-fast forward': 'non-fast-forward',
  'expecting report': 'remote failed to report status',
};

/** In the words of `git push`. */
function reasonOf(said: string): string {
  const reason = said.startsWith('"')
    ? said.slice(1, -1).replace(/\\([0-7]{3}|.)/g, (_, code: string) => unquote(code))
    : said;
  return words[reason] ?? reason;
}

function unquote(code: string): string {
  if (code.length > 1) return String.fromCharCode(Number.parseInt(code, 8));
  return code === 'n' || code === 't' ? ' ' : code;
}
