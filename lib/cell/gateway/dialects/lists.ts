import { isRecord, type JsonRecord } from '../../../util/json.ts';

/** An API takes only lists in some places; what else it might make of one value is looked at as well. */
export function listOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return isRecord(value) ? [value] : [];
}

/** The objects of a list. */
export function recordsOf(value: unknown): readonly JsonRecord[] {
  return listOf(value).filter(isRecord);
}

/** `said` behind the result at place `after` and those that follow it at once. */
export function insertAfter(
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

/** '' for what is no text. */
export function textOr(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** 0 for what is no count. */
export function countOf(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? Math.max(0, value) : 0;
}
