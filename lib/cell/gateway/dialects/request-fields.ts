import type { IncomingHttpHeaders } from 'node:http';
import type { ConversationCall, ConversationResult } from '../../../domain/ports/call-facts.ts';
import { isJsonRecord, type JsonRecord } from '../../../util/json.ts';
import type { RequestObjection, TextAfterResult } from './dialect.ts';

/** The fields a request may hold, by name; and for some names, their values. */
export interface AllowedRequestFields {
  readonly names: readonly string[];
  readonly values: Readonly<Record<string, readonly unknown[]>>;
}

/**
 * Returns the name of a field, with its value where that is the matter, that keeps a request from being sent; null:
 * none. Other fields, of APIs today or later, may cost more than is counted here, or reach farther than the cell.
 */
export function findUnknownField(request: JsonRecord, { names, values }: AllowedRequestFields): string | null {
  for (const [name, value] of Object.entries(request)) {
    if (!names.includes(name)) return name;
    const allowed = Object.hasOwn(values, name) ? values[name] : undefined;
    if (allowed !== undefined && !allowed.includes(value)) return shown(name, value);
  }
  return null;
}

/** The first of these fields that is there and no positive number of tokens; null: none. */
export function findInvalidTokenCount(request: JsonRecord, names: readonly string[]): string | null {
  const odd = names.find((name) => {
    const value = request[name];
    return value !== undefined && !(Number.isSafeInteger(value) && Number(value) > 0);
  });
  return odd === undefined ? null : shown(odd, request[odd]);
}

/**
 * A model that is named inside a request: what it is asked is in no count of ours, and it may be any. What a person, a
 * model or a tool says stands under `ownWords`: names in it are no fields of the API.
 */
export function findNestedModelName(request: JsonRecord, ownWords: ReadonlySet<string>): string | null {
  const waiting: { value: unknown; path: string }[] = [];
  const add = (value: unknown, path: string): void => {
    if (typeof value === 'object' && value !== null) waiting.push({ value, path });
  };
  for (const [name, value] of Object.entries(request)) add(value, name);
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    for (const [name, value] of Object.entries(at.value as object)) {
      if (/^(?:\w+_)?models?$/.test(name)) return shown(`${at.path}.${name}`, value);
      if (!ownWords.has(name)) add(value, `${at.path}.${name}`);
    }
  }
  return null;
}

/** What is found first of all values; null: nothing is. */
export function findFirst(values: readonly unknown[], find: (value: unknown) => string | null): string | null {
  return values.map((value) => find(value)).find((found) => found !== null) ?? null;
}

/** The headers with these names. */
export function selectHeadersByName(
  headers: IncomingHttpHeaders,
  names: readonly string[],
): Record<string, string | string[]> {
  const kept: Record<string, string | string[]> = {};
  for (const name of names) {
    const value = headers[name];
    if (value !== undefined) kept[name] = value;
  }
  return kept;
}

function shown(name: string, value: unknown): string {
  return `${name}: ${JSON.stringify(value)}`.slice(0, 200);
}

/**
 * How many tokens an answer may have whose request doesn't say: as many as each model that agents use may write, and
 * far more than a turn of an agent takes. Without a number in the request the budget could not hold it.
 */
export const defaultOutputTokens = 32_768;

/** The least of what a request states under several names; defaultOutputTokens where it states none. */
export function readRequestedOutputTokens(values: readonly unknown[]): number {
  const stated = values.filter((value): value is number => typeof value === 'number');
  return stated.length === 0 ? defaultOutputTokens : Math.max(0, Math.min(...stated));
}

/** The objection to what would reach out of the cell by way of the API; null: nothing does. */
export function objectToServerTool(what: string | null): RequestObjection | null {
  if (what === null) return null;
  return {
    why: 'server-tool',
    message: `A request may not make the model API contact other hosts: ${what.slice(0, 200)}.`,
  };
}

/** The objection to a field that isn't known; null: there is none. */
export function objectToUnknownField(field: string | null): RequestObjection | null {
  if (field === null) return null;
  return {
    why: 'field',
    message: `A request may not use what the gateway does not know or can't count: ${field}.`,
  };
}

/** Pairs results with the calls that have their ids. */
export function pairResults(
  calls: readonly ConversationCall[],
  results: readonly Omit<ConversationResult, 'name' | 'input'>[],
): readonly ConversationResult[] {
  const byId = new Map(calls.map((call) => [call.id, call]));
  return results.map((result) => {
    const call = byId.get(result.id);
    return { ...result, name: call?.name ?? null, input: call?.input ?? null };
  });
}

/** An API takes only lists in some places; what else it might make of one value is looked at as well. */
export function asListOfValues(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return isJsonRecord(value) ? [value] : [];
}

/** The objects of a list. */
export function listRecordsOfValue(value: unknown): readonly JsonRecord[] {
  return asListOfValues(value).filter(isJsonRecord);
}

/** `said` behind the result at place `after` and those that follow it at once. */
export function insertAfterResult(
  items: readonly JsonRecord[],
  at: { isResult(item: JsonRecord): boolean; readonly after: number; readonly said: JsonRecord },
): readonly JsonRecord[] {
  const results = [...items.keys()].filter((index) => at.isResult(items[index] ?? {}));
  const from = results[at.after];
  if (from === undefined) return items;
  const next = items.findIndex((item, index) => index > from && !at.isResult(item));
  const end = next < 0 ? items.length : next;
  return [...items.slice(0, end), at.said, ...items.slice(end)];
}

/** `said` at the end of the turn that holds the result at place `after`; `key`: where a turn has its parts. */
export function insertInTurnOfResult(
  turns: readonly JsonRecord[],
  key: 'content' | 'parts',
  at: { isResult(part: JsonRecord): boolean; readonly said: JsonRecord } & Pick<TextAfterResult, 'after'>,
): readonly JsonRecord[] {
  let seen = 0;
  const found = turns.findIndex((turn) => {
    seen += listRecordsOfValue(turn[key]).filter(at.isResult).length;
    return seen > at.after;
  });
  return turns.map((turn, index) =>
    index === found ? { ...turn, [key]: [...listRecordsOfValue(turn[key]), at.said] } : turn,
  );
}

/** '' for what is no text. */
export function textOrEmpty(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** 0 for what is no count. */
export function countOrZero(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? Math.max(0, value) : 0;
}
