import { isAssignment } from './arithmetic.ts';

const parts =
  'FILE DIR ROOT BASE OUT COUNT TOTAL VERSION NAME SRC DEST TARGET BRANCH COMMIT SHA HASH REV TMP RESULT RESULTS STATUS RC START END LINE PATTERN TEST TESTS PKG MODULE CHANGED LIST ITEM MSG DB ID CID SCRATCH WORK LOG OUTPUT INPUT REPO OLD NEW EXPECTED ACTUAL TEXT ROW COL IDX SIZE PROBE SPIKE';
const upper = new Set(parts.split(' ').flatMap((part) => [part, `${part}S`]));

/** Whether a variable means nothing to bash and to programs: a short lower-case name, one letter, or words like FILES. */
export function isFreeName(name: string): boolean {
  if (/^_?[a-z][a-z0-9_]{0,14}$/.test(name)) return !/proxy|^_?npm_|^histchars$|^auto_resume$/.test(name);
  return /^[A-Z]$/.test(name) || name.split('_').every((part) => upper.has(part));
}

/** The variables a part of a script changes, however deep. */
export function assignedIn(node: unknown): ReadonlySet<string> {
  const found = new Set<string>();
  collect(node, found);
  return found;
}

function collect(node: unknown, found: Set<string>): void {
  if (Array.isArray(node)) for (const one of node) collect(one, found);
  if (typeof node !== 'object' || node === null || Array.isArray(node)) return;
  const { type, name } = node as { readonly type?: unknown; readonly name?: unknown };
  if (type === 'Assignment' && typeof name === 'string') found.add(name);
  if (type === 'For' && isText(name)) found.add(name.text);
  for (const one of countedIn(node)) found.add(one);
  if (type === 'Command' && isText(name) && /^(?:read|unset)$/.test(name.text))
    for (const word of (node as { readonly suffix?: readonly unknown[] }).suffix ?? [])
      if (isText(word)) found.add(word.text);
  for (const one of Object.values(node)) collect(one, found);
}

function isText(value: unknown): value is { readonly text: string } {
  return (
    typeof value === 'object' && value !== null && typeof (value as { text?: unknown }).text === 'string'
  );
}

/** The variables an arithmetic expression sets, itself and not deeper. */
function countedIn(node: object): readonly string[] {
  const { type, operator, left, operand } = node as Readonly<Record<string, unknown>>;
  if (typeof operator !== 'string') return [];
  const target =
    type === 'ArithmeticBinary' && isAssignment(operator)
      ? left
      : type === 'ArithmeticUnary' && /^(?:\+\+|--)$/.test(operator)
        ? operand
        : undefined;
  const value = (target as { readonly value?: unknown } | undefined)?.value;
  return typeof value === 'string' ? [value] : [];
}

/** The variables that a script sets to numbers and to nothing else. */
export function numbersIn(script: unknown): ReadonlySet<string> {
  const names = new Set([...assignedIn(script)].filter(isFreeName));
  for (const name of otherwiseSet(script)) names.delete(name);
  return names;
}

function otherwiseSet(node: unknown): readonly string[] {
  if (typeof node !== 'object' || node === null) return [];
  if (Array.isArray(node)) return node.flatMap(otherwiseSet);
  const { type, name, value, append, index } = node as Readonly<Record<string, unknown>>;
  const below = Object.values(node).flatMap(otherwiseSet);
  if (type === 'Assignment' && typeof name === 'string') {
    const isNumber = append !== true && index === undefined && isNumeric(value);
    return isNumber ? below : [name, ...below];
  }
  const isRead = type === 'Command' && isText(name) && name.text === 'read';
  if (isRead) return [...assignedIn(node), ...below];
  return type === 'For' && isText(name) ? [name.text, ...below] : below;
}

/** A number as it is written, or `$((…))` alone. */
function isNumeric(value: unknown): boolean {
  const { text, parts } = value as {
    readonly text?: unknown;
    readonly parts?: readonly { readonly type: string }[];
  };
  if (typeof text === 'string' && /^\d{1,18}$/.test(text)) return true;
  return parts?.length === 1 && parts[0]?.type === 'ArithmeticExpansion';
}
