import type { Duplex } from 'node:stream';
import type { Address, EgressRules, Refusal, Resolve } from './egress-rules.ts';

/** One connection that left the cell, or would have. */
export interface EgressLine {
  readonly phase: string;
  readonly method: string;
  /** `host:port`, a path behind it where the gateway sees one. */
  readonly target: string;
  /** null: nothing was answered, or what was can't be seen. */
  readonly status: number | null;
  readonly bytes: number;
  readonly refused: string | null;
}

/** What each connection of one cell is served by. */
export interface Traffic {
  readonly rules: EgressRules;
  readonly resolve: Resolve;
  /** A connection on which nothing moves so long is ended. */
  readonly idleMs: number;
  /** Certificates that the person's tools trust beside the built-in ones. */
  readonly ca: string | null;
  /** false: it could not be written down. Throws nothing. */
  note(line: Omit<EgressLine, 'phase'>): boolean;
  /** Counts what came in; false: there is to be no more. */
  count(bytes: number): boolean;
}

export function isRefusal(found: Address | Refusal): found is Refusal {
  return 'why' in found;
}

/** The refusal once the cell has had all it may download. */
export function tooMuch({ rules }: Pick<Traffic, 'rules'>): Refusal {
  const mb = Math.floor(rules.maxBytes / 1024 / 1024);
  return { status: 403, why: `more than ${mb} MB were downloaded: sandbox.egress.max_mb of .blueflame.yml` };
}

/** Answers a CONNECT, or a request no answer was begun for, on the bare connection. */
export function answerBare(socket: Duplex, { status, why }: Refusal): void {
  const body = `git-flame: ${why}.\n`;
  const reason = `git-flame: ${why}`.replace(/[^\x20-\x7e]/g, '?');
  const head = `HTTP/1.1 ${status} ${reason}\r\ncontent-type: text/plain\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n`;
  socket.end(head + body);
}
