import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { holdChild } from '../../util/hold-child.ts';
import { ByteReader } from './byte-reader.ts';
import { type GitContext, spawnGit } from './run-git.ts';

/** A server that accepts and never says anything holds git no longer than that; one at work says something every 5 s. */
export const silence = ['-c', 'http.lowSpeedLimit=1', '-c', 'http.lowSpeedTime=60'];

// What a signed push, and one that is bound to what was fetched, come from in a person's settings.
const settings = ['-c', 'push.gpgSign=false', '-c', 'push.useForceIfIncludes=false'];
// It ends with who keeps it.
const limits = { wallMs: Number.POSITIVE_INFINITY, cpuSeconds: 600, memoryMb: 8_192 };

/** A remote by http, as it is called and where it is. */
export interface HttpRemote {
  readonly remote: string;
  readonly url: string;
}

/** git's own program for http(s), see gitremote-helpers(7). It holds its connection for as long as it runs. */
export class RemoteHelper {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly said: ByteReader;
  readonly ended: Promise<void>;
  #complaints: Buffer[] = [];
  isEnded = false;

  constructor(context: GitContext, { remote, url }: HttpRemote) {
    const [scheme = ''] = url.split(':');
    const args = [...silence, ...settings, `remote-${scheme}`, remote, url];
    this.#child = spawnGit({ ...context, guard: { limits } }, args);
    const { stdin, stdout, stderr } = this.#child;
    this.said = new ByteReader(stdout);
    stderr.on('data', (chunk: Buffer) => this.#complaints.push(chunk));
    this.ended = new Promise((resolve) => {
      this.#child.once('error', () => resolve());
      this.#child.once('close', () => resolve());
    });
    void this.ended.then(() => {
      this.isEnded = true;
    });
    for (const pipe of [stdin, stdout, stderr]) pipe.on('error', () => undefined);
    this.hold(false);
  }

  write(bytes: string | Buffer): void {
    this.#child.stdin.write(bytes);
  }

  /** What it complained of since it was asked last. */
  takeComplaints(): string {
    const text = Buffer.concat(this.#complaints).toString().trim();
    this.#complaints = [];
    return text;
  }

  /** It keeps this process from ending only while it is waited for: its end comes after that of its pipes. */
  hold(isHeld: boolean): void {
    holdChild(this.#child, isHeld);
  }

  /** Sends it and all it started a signal. */
  signal(name: NodeJS.Signals): void {
    try {
      if (this.#child.pid !== undefined) process.kill(-this.#child.pid, name);
    } catch {
      // It is gone.
    }
  }

  kill(): void {
    this.signal('SIGKILL');
  }

  async close(): Promise<void> {
    this.hold(true);
    this.kill();
    await this.ended;
  }
}
