import { join } from 'node:path';
import { FlameError } from '../../domain/flame-error.ts';
import { agentIdPattern } from '../../domain/ids.ts';
import { type DecisionLog, type LoggedDecision, signableDecisionKinds } from '../../domain/state/decision-log.ts';
import { canonicalDigest } from '../../util/canonical-digest.ts';
import { cloneStateDir } from '../../util/user-folders.ts';
import type { CloneAndEnv } from '../clone-folders.ts';
import { openDecisionsFile } from './decisions-file.ts';

interface DecisionLogOptions extends CloneAndEnv {
  /** Digests of decisions signed by a signer that the configuration names, and which one. */
  readonly signed?: ReadonlyMap<string, string>;
  /** The agent that this command was started by, see findStartingAgent; absent: it is a person's. */
  readonly chat?: () => string | null;
}

/**
 * Opens the decision log of this clone, an append-only file of digests outside the repository: nothing that comes by
 * sync, and no agent, can add to it. Read when first asked.
 */
export function openDecisionLog({
  env,
  commonDir,
  signed = new Map(),
  chat = () => null,
}: DecisionLogOptions): DecisionLog {
  const file = openDecisionsFile(join(cloneStateDir(env, commonDir), 'decisions'));
  const { digests, isNoted, settled, latest, limits, shared, refresh, keep } = file;
  const signerOf = ({ kind }: LoggedDecision, digest: string): string | null =>
    !signableDecisionKinds.includes(kind) || settled.has(digest) ? null : (signed.get(digest) ?? null);
  const isCounting = (decision: LoggedDecision, digest: string): boolean =>
    digests.has(digest) || signerOf(decision, digest) !== null;
  return {
    refresh,
    get revision() {
      return file.revision;
    },
    // Thousands of tasks may come from elsewhere: none of them needs a digest.
    has: (decision) => (isNoted(decision) || signed.size > 0) && isCounting(decision, digestOf(decision)),
    signedBy: (decision) => {
      const digest = digestOf(decision);
      return digests.has(digest) ? null : signerOf(decision, digest);
    },
    record: (decisions) => {
      refresh();
      const fresh = decisions.filter((decision) => !isCounting(decision, digestOf(decision)));
      requireHuman(fresh, chat);
      const isPersons = fresh.some(({ kind }) => !found.has(kind));
      keep(fresh.map(toLine), isPersons);
    },
    supersede: (decisions) => {
      refresh();
      const counting = decisions.filter((decision) => isCounting(decision, digestOf(decision)));
      const lines = counting.map((one) => JSON.stringify({ x: digestOf(one), k: one.kind, s: one.session }));
      keep(lines, false);
    },
    revoke: (revoked) => {
      refresh();
      const fresh = [...revoked].filter((digest) => !digests.has(digest) && !settled.has(digest));
      const lines = fresh.map((w) => JSON.stringify({ w }));
      keep(lines, false);
    },
    listDigestsMadeHere: (session) => {
      refresh();
      const all = [...(shared.get(session) ?? [])].sort();
      return {
        decisions: all.filter((digest) => digests.has(digest)),
        settled: all.filter((digest) => settled.has(digest)),
      };
    },
    hasDecidedInSession: (session) => shared.has(session),
    listChangedFacts: (decision) => {
      const before = latest(decision);
      if (before === null) return null;
      const now = partsOf(decision.facts);
      return Object.keys(now).filter((name) => now[name] !== before[name]);
    },
    highestLimit: (session) => limits.get(session) ?? null,
  };
}

/** Decisions not worth waiting for the disk: if a power cut loses them, they are found out or asked again. */
const found = new Set<LoggedDecision['kind']>([
  'verdict',
  'changeset',
  'work',
  'checks',
  'standing',
  'course',
  'pause',
  'memory',
]);

const knownDigests = new WeakMap<LoggedDecision, string>();

/** Asked for whether it counts, and again for the line that keeps it. */
function digestOf(decision: LoggedDecision): string {
  const digest = knownDigests.get(decision) ?? canonicalDigest(decision);
  knownDigests.set(decision, digest);
  return digest;
}

/** As DecisionsFile reads it. */
function toLine(decision: LoggedDecision): string {
  const { kind: k, session: s, about: a, facts } = decision;
  const parts = k === 'task' || k === 'session' ? { p: partsOf(facts) } : {};
  const amount = k === 'limit' ? { n: facts.amount } : {};
  return JSON.stringify({ d: digestOf(decision), k, s, a, ...parts, ...amount });
}

function partsOf(facts: LoggedDecision['facts']): Readonly<Record<string, string>> {
  const entries = Object.entries(facts).map(([name, value]) => [name, canonicalDigest(value ?? null).slice(0, 8)]);
  return Object.fromEntries(entries);
}

/** Decisions that only a person may make, each as the subject of a sentence. */
const words: Partial<Readonly<Record<LoggedDecision['kind'], string>>> = {
  task: 'The text of a task',
  adapter: "A task's adapter",
  approval: 'A landing',
  limit: 'A higher budget',
  machine: 'The list of trusted machines',
};

/** Throws FlameError `typed-in-chat` where only a person may make one of these decisions, and an agent's shell made it. */
function requireHuman(fresh: readonly LoggedDecision[], chat: () => string | null): void {
  const word = fresh.map(wordOf).find((one) => one !== null);
  if (word === undefined) return;
  requirePersonNotChat(word, chat);
}

/** The same check for another action; `word`: what it decides, as the subject of the error's sentence. */
export function requirePersonNotChat(word: string, chat: () => string | null): void {
  const around = chat();
  if (around === null) return;
  throw new FlameError({
    kind: 'waiting',
    code: 'typed-in-chat',
    message: `${word} needs a person's decision, but this command was started by ${around}.`,
    hints: ['Run the same command in a terminal that no agent started', 'git flame status'],
  });
}

function wordOf({ kind, facts: { by } }: LoggedDecision): string | null {
  const isByHand = kind === 'verdict' && by !== 'diagnostics' && !agentIdPattern.test(`${by}`);
  return isByHand ? 'A verdict by a person' : (words[kind] ?? null);
}
