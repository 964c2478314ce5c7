import type { Hint, HintProgress, HintState } from '../../domain/agent-messages.ts';
import type { ConversationResult } from '../../domain/ports/call-facts.ts';
import type { JsonRecord } from '../../util/json.ts';
import type { Dialect, ReportedConversation } from './dialects/dialect.ts';

/** Passes the person's hints on to an agent's model while it works, in the agent's own requests. */
export interface HintInserter {
  /**
   * Puts each hint behind the results it was first sent with, in this request and in all that follow: a model, and its
   * cache, see a conversation that only grows. New hints go behind the last results of calls.
   */
  insertHints(turn: HintedTurn): { readonly request: JsonRecord; onHeard(): void };
  /** No more requests come: hints that no model got are reported as missed. */
  close(): void;
}

interface HintedTurn {
  readonly dialect: Pick<Dialect, 'insertText'>;
  readonly request: JsonRecord;
  readonly conversation: Pick<ReportedConversation, 'results'>;
  /** It offers tools: else it is a side question, which gets no new hints. */
  readonly isTurn: boolean;
}

export interface HintSource {
  /** All hints so far, the oldest first. */
  list(): readonly Hint[];
  /** Throws nothing. */
  report(news: HintProgress): void;
}

interface Placed {
  readonly hint: Hint;
  /** By conversation, which its first call names: behind which result it stands. Those of sub-agents are their own. */
  readonly places: Map<string, string>;
  state: HintState | null;
}

export function createHintInserter(source: HintSource): HintInserter {
  const known = new Map<string, Placed>();
  const report = (placed: Placed, state: HintState, next: readonly string[] = []): void => {
    placed.state = state;
    source.report({ hint: placed.hint, state, next });
  };
  const look = (): readonly Placed[] => {
    for (const hint of source.list())
      if (!known.has(hint.id)) known.set(hint.id, { hint, places: new Map(), state: null });
    return [...known.values()];
  };
  return {
    insertHints({ dialect, request, conversation: { results }, isTurn }) {
      const all = look();
      const [first] = results;
      const last = results.at(-1);
      if (first === undefined || last === undefined || all.length === 0) return { request, onHeard: () => undefined };
      const conversation = keyOf(first, 0);
      const here = all.filter((placed) => {
        if (isTurn && last.isNew && !placed.places.has(conversation))
          placed.places.set(conversation, keyOf(last, results.length - 1));
        return placed.places.has(conversation);
      });
      for (const placed of here)
        if (placed.state === 'seen') {
          const next = callsAfter(placed.places.get(conversation), results);
          if (next.length > 0) report(placed, 'followed', next);
        }
      return {
        request: insertAll(dialect, request, { results, conversation, here }),
        onHeard: () => {
          for (const placed of here) if (placed.state === null) report(placed, 'seen');
        },
      };
    },
    close() {
      for (const placed of look()) if (placed.state === null) report(placed, 'missed');
    },
  };
}

/** By its id, else by its place: a conversation only grows. */
function keyOf({ id }: ConversationResult, index: number): string {
  return id ?? `#${index}`;
}

/** Lists the tools of the calls after a hint: the first sign that the model took it up. */
function callsAfter(place: string | undefined, results: readonly ConversationResult[]): readonly string[] {
  const at = results.findIndex((result, index) => keyOf(result, index) === place);
  const next = at < 0 ? [] : results.slice(at + 1);
  return [...new Set(next.map(({ name }) => name ?? 'unknown'))];
}

function insertAll(
  dialect: Pick<Dialect, 'insertText'>,
  request: JsonRecord,
  at: {
    readonly results: readonly ConversationResult[];
    readonly conversation: string;
    readonly here: readonly Placed[];
  },
): JsonRecord {
  const byPlace = new Map<string, Hint[]>();
  for (const { hint, places } of at.here) {
    const place = places.get(at.conversation) ?? '';
    byPlace.set(place, [...(byPlace.get(place) ?? []), hint]);
  }
  let said = request;
  for (const [index, result] of at.results.entries()) {
    const hints = byPlace.get(keyOf(result, index));
    if (hints !== undefined) said = dialect.insertText(said, { after: index, text: hints.map(wordsOf).join('\n\n') });
  }
  return said;
}

function wordsOf({ by, text }: Hint): string {
  return `A message to you from ${by}, who leads this work. Where it differs from earlier instructions, follow this message. The rules and limits of your task do not change.\n\n${text}`;
}
