import { appendFileSync, closeSync, fsyncSync, openSync, readSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { FlameError } from '../../domain/flame-error.ts';
import { type LoggedDecision, signableDecisionKinds } from '../../domain/state/decision-log.ts';
import { errorMessage } from '../../util/error-text.ts';
import { isJsonRecord, type JsonRecord, parseJsonRecord } from '../../util/json.ts';
import { killPoint } from '../../util/kill-point.ts';
import { makeFolders } from '../../util/write-files.ts';

/** Content of the file of a clone's decisions, as far as it was read. */
interface DecisionsFile {
  /** Digests of decisions made here that still count. */
  readonly digests: ReadonlySet<string>;
  /** Whether anything was ever decided here of this kind, in this session and about this. */
  isNoted(decision: Pick<LoggedDecision, 'kind' | 'session' | 'about'>): boolean;
  /** Digests of superseded decisions. */
  readonly settled: ReadonlySet<string>;
  /** Short hashes of the facts of what was decided last about this; null where none are kept. */
  latest(decision: Pick<LoggedDecision, 'kind' | 'session' | 'about'>): JsonRecord | null;
  /** The highest limit of each session. */
  readonly limits: ReadonlyMap<string, number>;
  /** The digests of each session that a signature can be about. */
  readonly shared: ReadonlyMap<string, ReadonlySet<string>>;
  /** Number of lines read. */
  readonly revision: number;
  /** Reads what was added since. Throws FlameError `decisions-not-kept`. */
  refresh(): void;
  /** Adds lines. Throws FlameError `decisions-not-kept`. */
  keep(lines: readonly string[], isLasting: boolean): void;
}

const signed = new Set<unknown>(signableDecisionKinds);

/**
 * Lines of JSON, appended only. d: digest · x: one that no longer counts · w: the same by a signer's
 * signature · k, s, a: kind, session, what it is about · p: a short hash of each fact · n: an amount.
 */
export function openDecisionsFile(file: string): DecisionsFile {
  const digests = new Set<string>();
  const settled = new Set<string>();
  /** null: only that there was one. */
  const latest = new Map<string, JsonRecord | null>();
  const limits = new Map<string, number>();
  const shared = new Map<string, Set<string>>();
  let offset = 0;
  let revision = 0;
  const take = (line: string): void => {
    revision += 1;
    const { d, x, w, k, s, a, p, n } = parseJsonRecord(line);
    if (typeof w === 'string') settled.add(w);
    const digest = typeof d === 'string' ? d : x;
    if (typeof digest === 'string' && typeof s === 'string' && signed.has(k)) {
      const known = shared.get(s);
      if (known === undefined) shared.set(s, new Set([digest]));
      else known.add(digest);
    }
    if (typeof x === 'string') {
      digests.delete(x);
      settled.add(x);
    }
    if (typeof d !== 'string') return;
    digests.add(d);
    settled.delete(d);
    const name = nameOf(k, s, a);
    if (isJsonRecord(p)) latest.set(name, p);
    else if (!latest.has(name)) latest.set(name, null);
    if (typeof n === 'number' && typeof s === 'string') limits.set(s, Math.max(n, limits.get(s) ?? n));
  };
  const refresh = (): void => {
    const more = readFrom(file, offset);
    const end = more.lastIndexOf(10) + 1;
    offset += end;
    for (const line of more.subarray(0, end).toString('utf8').split('\n')) if (line !== '') take(line);
  };
  const keep = (lines: readonly string[], isLasting: boolean): void => {
    if (lines.length === 0) return;
    append(file, lines.join('\n'), isLasting);
    refresh();
  };
  return {
    digests,
    settled,
    limits,
    shared,
    refresh,
    keep,
    isNoted: ({ kind, session, about }) => latest.has(nameOf(kind, session, about)),
    latest: ({ kind, session, about }) => latest.get(nameOf(kind, session, about)) ?? null,
    get revision() {
      return revision;
    },
  };
}

function nameOf(kind: unknown, session: unknown, about: unknown): string {
  return `${kind} ${session} ${about}`;
}

/** Reads a file from a byte on; empty where there is no file. Throws FlameError `decisions-not-kept`. */
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
    message: `Your decisions can't be saved in ${file}: ${errorMessage(cause)}.`,
    hints: [`ls -ld ${dirname(file)}`, 'Or set XDG_STATE_HOME to a folder of yours that you can write'],
    cause,
  });
}
