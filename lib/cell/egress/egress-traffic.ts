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
  /** Bytes that came in. */
  readonly bytes: number;
  /** Bytes that went out. */
  readonly sent: number;
  readonly refused: string | null;
}

/** The context in which each connection of one cell is served. */
export interface Traffic {
  readonly rules: EgressRules;
  readonly resolve: Resolve;
  /** A connection on which nothing moves so long is ended. */
  readonly idleMs: number;
  /** Certificates that the person's tools trust beside the built-in ones. */
  readonly ca: string | null;
  /** false: it could not be written down. Throws nothing. */
  note(line: Omit<EgressLine, 'phase'>): boolean;
  readonly volume: Volume;
}

/** The volume over all connections of one cell. */
export interface Volume {
  /** Counts bytes that came in, or are about to go out. A refusal: these and all later ones are too many. */
  count(way: 'in' | 'out', bytes: number): Refusal | null;
  /** Lets nothing more through. */
  shut(): void;
}

/** Counts from nothing, within what the rules allow. */
export function openVolume(rules: Pick<EgressRules, 'maxBytes' | 'maxSent'>): Volume {
  const total = { in: 0, out: 0 };
  return {
    count: (way, bytes) => {
      total[way] += bytes;
      if (total.in > rules.maxBytes) return tooMuch('downloaded', rules.maxBytes, 'max_mb');
      if (total.out > rules.maxSent) return tooMuch('sent', rules.maxSent, 'max_sent_mb');
      return null;
    },
    shut: () => {
      total.in = Number.POSITIVE_INFINITY;
    },
  };
}

function tooMuch(what: string, bytes: number, key: string): Refusal {
  const mb = Math.floor(bytes / 1024 / 1024);
  const why = `more than ${mb} MB were ${what} over all connections of this cell, so nothing more is: sandbox.egress.${key} of .blueflame.yml`;
  return { status: 403, why };
}

export function isRefusal(found: Address | Refusal): found is Refusal {
  return 'why' in found;
}

/** Answers a CONNECT, or a request no answer was begun for, on the bare connection. */
export function answerBare(socket: Duplex, { status, why }: Refusal): void {
  const body = `git-flame: ${why}.\n`;
  const reason = `git-flame: ${why}`.replace(/[^\x20-\x7e]/g, '?');
  const head = `HTTP/1.1 ${status} ${reason}\r\ncontent-type: text/plain\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n`;
  socket.end(head + body);
}

// An agent's own programs can repeat a refused request as often as they like.
const mostRefused = 20_000;

/** Logs every request that left, and of those that were refused as many as anybody would read. */
export function cappedEgress<Line extends { readonly refused: string | null }>(
  log: (line: Line) => void,
): (line: Line) => void {
  let refused = 0;
  return (line) => {
    if (line.refused !== null) refused += 1;
    if (line.refused === null || refused < mostRefused) log(line);
    else if (refused === mostRefused)
      log({ ...line, refused: `${line.refused}; no more of these are logged` });
  };
}
