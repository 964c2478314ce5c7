import { appendFileSync, closeSync, fsyncSync, openSync, readSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { FlameError } from '../domain/flame-error.ts';
import type { SessionId } from '../domain/ids.ts';
import type { Decision, Origins } from '../domain/origins.ts';
import { canonicalDigest } from '../util/canonical-digest.ts';
import { parseRecord } from '../util/json-record.ts';
import { killPoint } from '../util/kill-point.ts';
import { makeFolders } from '../util/make-folders.ts';
import { cloneStateDir } from '../util/user-state.ts';

export interface OriginsOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The common git directory, absolute. */
  readonly commonDir: string;
  /** Digests of decisions that somebody named in the configuration signed. */
  readonly signed?: ReadonlySet<string>;
}

/**
 * What was decided in this clone, as an append-only file of digests outside the repository: nothing that comes by
 * sync, and no agent, can add to it. Opened when first asked.
 */
export function openOrigins({ env, commonDir, signed = new Set() }: OriginsOptions): Origins {
  const file = join(cloneStateDir(env, commonDir), 'decisions');
  const digests = new Set<string>();
  const settled = new Set<string>();
  const latest = new Map<string, Readonly<Record<string, unknown>>>();
  const limits = new Map<string, number>();
  let offset = 0;
  const take = (line: string): void => {
    const { d, x, k, s, a, p, n } = parseRecord(line);
    if (typeof x === 'string') {
      digests.delete(x);
      settled.add(x);
    }
    if (typeof d !== 'string') return;
    digests.add(d);
    settled.delete(d);
    if (typeof p === 'object' && p !== null) latest.set(`${k} ${s} ${a}`, { ...p });
    if (typeof n === 'number' && typeof s === 'string') limits.set(s, Math.max(n, limits.get(s) ?? n));
  };
  const refresh = (): void => {
    const more = readFrom(file, offset);
    const end = more.lastIndexOf(10) + 1;
    offset += end;
    for (const line of more.subarray(0, end).toString('utf8').split('\n')) if (line !== '') take(line);
  };
  return {
    refresh,
    has: (decision) => {
      const digest = canonicalDigest(decision);
      return digests.has(digest) || (signed.has(digest) && !settled.has(digest));
    },
    vouch: (decisions) => {
      refresh();
      const fresh = decisions.map(toLine).filter(({ digest }) => !digests.has(digest));
      if (fresh.length === 0) return;
      const isPersons = fresh.some(({ kind }) => !found.has(kind));
      append(file, fresh.map(({ text }) => text).join('\n'), isPersons);
      refresh();
    },
    settle: (decisions) => {
      refresh();
      const counting = decisions
        .map(canonicalDigest)
        .filter((digest) => digests.has(digest) || signed.has(digest));
      if (counting.length === 0) return;
      append(file, counting.map((x) => JSON.stringify({ x })).join('\n'), false);
      refresh();
    },
    changesTo: ({ kind, session, about, facts }) => {
      const before = latest.get(`${kind} ${session} ${about}`);
      if (before === undefined) return null;
      const now = partsOf(facts);
      return Object.keys(now).filter((name) => now[name] !== before[name]);
    },
    highestLimit: (session: SessionId) => limits.get(session) ?? null,
  };
}

/** What is found out again, or asked once more, where a power cut loses it: not worth waiting for the disk. */
const found = new Set<Decision['kind']>(['verdict', 'changeset', 'work', 'checks', 'standing', 'course']);

/** d: digest · x: one that no longer counts · k, s, a: kind, session, what it is about · p: a short hash of each fact · n: an amount. */
function toLine(decision: Decision): Line {
  const { kind: k, session: s, about: a, facts } = decision;
  const digest = canonicalDigest(decision);
  const parts = k === 'task' || k === 'session' ? { p: partsOf(facts) } : {};
  const amount = k === 'limit' ? { n: facts.amount } : {};
  return { kind: k, digest, text: JSON.stringify({ d: digest, k, s, a, ...parts, ...amount }) };
}

interface Line {
  readonly kind: Decision['kind'];
  readonly digest: string;
  readonly text: string;
}

function partsOf(facts: Decision['facts']): Readonly<Record<string, string>> {
  const entries = Object.entries(facts).map(([name, value]) => [
    name,
    canonicalDigest(value ?? null).slice(0, 8),
  ]);
  return Object.fromEntries(entries);
}

/** What a file holds from a byte on; nothing where there is none. Throws FlameError `decisions-not-kept`. */
function readFrom(file: string, offset: number): Buffer {
  try {
    return readEnd(file, offset);
  } catch (error) {
    throw notKept(file, error);
  }
}

function readEnd(file: string, offset: number): Buffer {
  const length = (statSync(file, { throwIfNoEntry: false })?.size ?? 0) - offset;
  if (length <= 0) return Buffer.alloc(0);
  const descriptor = openSync(file, 'r');
  try {
    const buffer = Buffer.alloc(length);
    return buffer.subarray(0, readSync(descriptor, buffer, 0, length, offset));
  } finally {
    closeSync(descriptor);
  }
}

/** One write at the end. It begins a line of its own: a kill in the middle of the write before spoils that one alone. */
function append(file: string, text: string, isLasting: boolean): void {
  killPoint('before decisions are kept');
  try {
    makeFolders(dirname(file), 0o700);
    const descriptor = openSync(file, 'a', 0o600);
    try {
      appendFileSync(descriptor, `\n${text}\n`);
      if (isLasting) fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    throw notKept(file, error);
  }
  killPoint('decisions are kept');
}

function notKept(file: string, cause: unknown): FlameError {
  return new FlameError({
    kind: 'environment',
    code: 'decisions-not-kept',
    message: `What is decided here can't be kept in ${file}: ${cause instanceof Error ? cause.message : String(cause)}.`,
    hints: [`ls -ld ${dirname(file)}`, 'or set XDG_STATE_HOME to a folder of yours that can be written'],
    cause,
  });
}
