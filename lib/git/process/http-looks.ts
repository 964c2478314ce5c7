import type { Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { ByteReader } from './byte-reader.ts';
import { type HttpRemote, RemoteHelper } from './remote-helper.ts';
import type { GitContext } from './run-git.ts';

const mostStrikes = 3;
const flush = '0000';
const responseEnd = '0002';

/** A helper that was asked for protocol v2, and what the server said of itself; null: it is none for that. */
interface Kept {
  readonly helper: RemoteHelper;
  readonly greeting: Promise<Buffer | null>;
}

/**
 * Fetches over one connection: each git that fetches speaks protocol v2 with what it takes for the server
 * (git-remote-fd), and each of its requests, which stands for itself, goes to the one helper. One git at a time.
 */
export class HttpLooks {
  readonly #plain: GitContext;
  readonly #remote: HttpRemote;
  readonly #variables: Readonly<Record<string, string>>;
  #kept: Kept | null = null;
  /** Those it was given to. */
  #users = 0;
  #served: Promise<void> = Promise.resolve();
  #mayTry = true;
  #strikes = 0;

  /** `configured`: the address as the person's settings have it. */
  constructor(context: GitContext, remote: HttpRemote, configured: string) {
    this.#plain = context;
    this.#remote = remote;
    this.#variables = throughFd(configured);
  }

  /** null: git is to connect by itself. */
  async ready(mostMs: number): Promise<GitContext | null> {
    if (this.#kept?.helper.isEnded) this.#kept = null;
    if (this.#kept === null && this.#mayTry && this.#strikes < mostStrikes) this.#kept = this.#open();
    const kept = this.#kept;
    if (kept === null || this.#users > 0) return null;
    const timer = new AbortController();
    const late = wait(mostMs, null, { signal: timer.signal }).catch(() => null);
    const greeting = await Promise.race([kept.greeting, late]);
    timer.abort();
    if (greeting === null) return null;
    const attach = (socket: Socket): void => {
      this.#users += 1;
      this.#served = this.#served.then(() => this.#serve({ ...kept, greeting }, socket));
    };
    return { ...this.#plain, variables: { ...this.#plain.variables, ...this.#variables }, attach };
  }

  worked(): void {
    if (this.#kept === null) this.#mayTry = true;
  }

  /** What is under way ends by itself or at its time limit. */
  renew(): void {
    if (this.#users > 0) return;
    this.#kept?.helper.kill();
    this.#kept = null;
  }

  async close(): Promise<void> {
    this.#mayTry = false;
    await this.#kept?.helper.close();
  }

  #open(): Kept {
    const helper = new RemoteHelper(this.#plain, this.#remote);
    helper.write('stateless-connect git-upload-pack\n');
    const kept = { helper, greeting: readGreeting(helper) };
    void kept.greeting.then((greeting) => {
      if (greeting !== null) {
        this.#strikes = 0;
        return;
      }
      // Not reached, or it speaks no v2: that is for git itself to find out first.
      helper.kill();
      if (this.#kept === kept) this.#kept = null;
      this.#strikes += 1;
      this.#mayTry = false;
    });
    return kept;
  }

  async #serve(
    { helper, greeting }: { readonly helper: RemoteHelper; readonly greeting: Buffer },
    socket: Socket,
  ): Promise<void> {
    let isAnswering = false;
    socket.on('error', () => undefined);
    // In the middle of an answer there is no next one.
    socket.once('close', () => isAnswering && helper.kill());
    socket.write(greeting);
    const asked = new ByteReader(socket);
    for (let request = await readRequest(asked); request !== null; request = await readRequest(asked)) {
      isAnswering = true;
      helper.write(request);
      if (!(await answer(helper, socket))) break;
      isAnswering = false;
    }
    socket.destroy();
    if (isAnswering) helper.kill();
    this.#users -= 1;
  }
}

/** null: git has no other one; at its end it says goodbye by an empty one. */
async function readRequest(asked: ByteReader): Promise<Buffer | null> {
  const request = await readSection(asked);
  return request === null || request.length <= flush.length ? null : request;
}

/** Packets to the next one that ends them; null: it doesn't come. */
async function readSection(reader: ByteReader): Promise<Buffer | null> {
  const packets: Buffer[] = [];
  for (;;) {
    const packet = await reader.packet();
    if (packet === null) return null;
    packets.push(packet);
    if (packet.toString('latin1') === flush) return Buffer.concat(packets);
  }
}

/** false: it broke off, or nobody wants the rest. */
async function answer(helper: RemoteHelper, socket: Socket): Promise<boolean> {
  for (;;) {
    const packet = await helper.said.packet();
    if (packet === null || socket.destroyed) return false;
    if (packet.toString('latin1') === responseEnd) return true;
    if (!socket.write(packet)) await roomIn(socket);
  }
}

function roomIn(socket: Socket): Promise<unknown> {
  return new Promise((resolve) => {
    socket.once('drain', resolve);
    socket.once('close', resolve);
  });
}

async function readGreeting(helper: RemoteHelper): Promise<Buffer | null> {
  return (await helper.said.line()) === '' ? readSection(helper.said) : null;
}

/** Has git take its file descriptor 3 for the server of an address. */
export function throughFd(url: string): Readonly<Record<string, string>> {
  return {
    GIT_CONFIG_COUNT: '2',
    GIT_CONFIG_KEY_0: 'url.fd::3.insteadOf',
    GIT_CONFIG_VALUE_0: url,
    GIT_CONFIG_KEY_1: 'protocol.fd.allow',
    GIT_CONFIG_VALUE_1: 'always',
  };
}
