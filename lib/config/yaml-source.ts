import type { Node } from 'yaml';
import {
  type Document,
  isAlias,
  isCollection,
  isMap,
  isNode,
  isScalar,
  isSeq,
  parseDocument,
  Scalar,
  visit,
} from 'yaml';
import { FlameError } from '../domain/flame-error.ts';

/** Where something stands in a value: keys and list positions, outermost first. */
export type ValuePath = readonly PropertyKey[];

/** A stretch of the text: offsets of its first character and of the one after its last. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A mistake in a file, to be shown with the others. `message` ends a sentence that begins with `path`. */
export interface Problem extends Span {
  readonly path: string;
  readonly message: string;
  readonly hint: string | null;
}

/** A YAML (or JSON) text that knows where each of its values stands. */
export interface YamlSource {
  readonly fileName: string;
  /** Without a byte order mark. */
  readonly text: string;
  readonly document: Document.Parsed;
  /** What is wrong with the text as YAML. */
  readonly problems: readonly Problem[];
  /** From this offset on the text was guessed at: mistakes found there may be none. */
  readonly soundUntil: number;
}

/**
 * Reads a text as one YAML document; mistakes are in `problems`.
 * Throws a FlameError `file-too-big` beyond `maxLength` characters.
 */
export function readYamlSource(text: string, fileName: string, maxLength = 1_000_000): YamlSource {
  if (text.length > maxLength) throw tooBig(fileName, maxLength);
  const bare = text.startsWith('\ufeff') ? text.slice(1) : text;
  const document = parseDocument(bare, { prettyErrors: false, logLevel: 'error', keepSourceTokens: false });
  const problems = onePerLine(bare, [
    ...document.errors.map((error) => describeSyntaxError(error, bare)),
    ...dropLooseAliases(document, bare),
  ]);
  joinTwins(document.contents);
  const guessed = document.errors.filter((error) => error.code !== 'DUPLICATE_KEY');
  return {
    fileName,
    text: bare,
    document,
    problems,
    soundUntil: Math.min(...guessed.map((error) => lineStart(bare, error.pos[0])), bare.length + 1),
  };
}

/** The document as plain values, null for an empty one; aliases that multiply beyond measure are a problem. */
export function readYamlValue(source: YamlSource): {
  readonly value: unknown;
  readonly problems: readonly Problem[];
} {
  try {
    return { value: source.document.toJS({ maxAliasCount: 100 }), problems: [] };
  } catch (error) {
    if (!(error instanceof ReferenceError)) throw error;
    return { value: null, problems: [describeAliasBomb(source.text)] };
  }
}

/**
 * Where the value (or the key) at a path stands. Where there is nothing, where its parent stands; a collection and
 * an empty value are found by their key.
 */
export function locate(source: YamlSource, path: ValuePath, part: 'key' | 'value'): Span {
  let node: Node | null = source.document.contents;
  let key: Node | null = null;
  for (const segment of path) {
    const found = child(resolveAlias(source.document, node), segment);
    if (found === null) return spanOf(source.text, node, key, 'value');
    node = found.value;
    key = found.key;
  }
  return spanOf(source.text, node, key, part);
}

/** Whether the document itself holds a value at a path, and not only nothing. */
export function isWritten(source: YamlSource, path: ValuePath): boolean {
  let node: Node | null = source.document.contents;
  for (const segment of path) {
    const found = child(resolveAlias(source.document, node), segment);
    if (found === null) return false;
    node = found.value;
  }
  const value = resolveAlias(source.document, node);
  return value !== null && !(isScalar(value) && value.value === null);
}

function child(node: Node | null, segment: PropertyKey): { value: Node | null; key: Node | null } | null {
  if (isMap(node)) {
    const pair = node.items.find((item) => keyText(item.key) === String(segment));
    return pair === undefined ? null : { value: asNode(pair.value), key: asNode(pair.key) };
  }
  if (isSeq(node) && typeof segment === 'number' && segment < node.items.length) {
    return { value: asNode(node.items[segment]), key: null };
  }
  return null;
}

function keyText(key: unknown): string {
  return isScalar(key) ? String(key.value ?? '') : String(key);
}

function asNode(value: unknown): Node | null {
  return isNode(value) ? value : null;
}

function resolveAlias(document: Document, node: Node | null): Node | null {
  return isAlias(node) ? (node.resolve(document) ?? null) : node;
}

function spanOf(text: string, node: Node | null, key: Node | null, part: 'key' | 'value'): Span {
  const [start = 0, end = 0] = node?.range ?? [];
  const isEmpty = node === null || start === end;
  const preferred = part === 'key' || isEmpty || isCollection(node) ? (key ?? node) : node;
  const [from = start, to = end] = preferred?.range ?? [];
  return toFirstLine(text, from, to);
}

/** Underlines end with the line they began on. */
function toFirstLine(text: string, start: number, end: number): Span {
  const line = text.slice(start, end).split(/\r?\n/, 1)[0] ?? '';
  return { start, end: start + Math.max(1, line.trimEnd().length) };
}

function lineStart(text: string, offset: number): number {
  return text.lastIndexOf('\n', offset - 1) + 1;
}

interface SyntaxError {
  readonly code: string;
  readonly message: string;
  readonly pos: readonly [number, number];
}

const wordings: Readonly<Record<string, { readonly message: string; readonly hint: string | null }>> = {
  TAB_AS_INDENT: { message: 'is indented with a tab', hint: 'indent with spaces' },
  MULTIPLE_DOCS: { message: 'begins a second document', hint: 'one file holds one document: remove the ---' },
  BAD_SCALAR_START: { message: 'begins with a character that needs quotes', hint: 'write it in "quotes"' },
};

function describeSyntaxError(error: SyntaxError, text: string): Problem {
  const span = toFirstLine(text, clampToText(text, error.pos[0]), error.pos[1]);
  if (error.code === 'DUPLICATE_KEY') {
    const key = /^(?:"[^"\n]*"|'[^'\n]*'|[^:\n]*)/.exec(text.slice(error.pos[0]))?.[0].trim() ?? '';
    const path = key.replace(/^(["'])(.*)\1$/, '$2');
    const end = span.start + Math.max(1, key.length);
    return {
      path: path === '' ? '""' : path,
      message: 'is written twice',
      hint: 'keep one of them',
      start: span.start,
      end,
    };
  }
  const known = wordings[error.code];
  const message = known?.message ?? `is not valid YAML: ${decapitalize(error.message)}`;
  return { path: 'the line', message, hint: known?.hint ?? null, ...span };
}

/** Errors at the very end of a text are shown at its last character that isn't a line break. */
function clampToText(text: string, offset: number): number {
  return offset < text.length ? offset : Math.max(0, text.trimEnd().length - 1);
}

/** Sections written twice are checked as one, other values as they stand first. */
function joinTwins(node: unknown): void {
  if (isSeq(node)) for (const item of node.items) joinTwins(item);
  if (!isMap(node)) return;
  const firsts = new Map<string, unknown>();
  node.items = node.items.filter(({ key, value }) => {
    const first = firsts.get(keyText(key));
    if (!firsts.has(keyText(key))) firsts.set(keyText(key), value);
    else if (isMap(first) && isMap(value)) first.items.push(...value.items);
    else return false;
    return first === undefined;
  });
  for (const value of firsts.values()) joinTwins(value);
}

/** An alias without its anchor stands for nothing from here on, so that the rest of the text can be checked. */
function dropLooseAliases(document: Document, text: string): readonly Problem[] {
  const problems: Problem[] = [];
  visit(document, {
    Alias(_, alias) {
      if (alias.resolve(document) !== undefined) return undefined;
      const [start = 0, end = 0] = alias.range ?? [];
      const message = 'names an anchor that is not set above it';
      problems.push({ path: `*${alias.source}`, message, hint: null, ...toFirstLine(text, start, end) });
      const nothing = new Scalar(null);
      nothing.range = [start, end, end];
      return nothing;
    },
  });
  return problems;
}

function describeAliasBomb(text: string): Problem {
  const start = Math.max(0, text.search(/\*\w/));
  const hint = 'write the values out';
  return { path: 'the alias', message: 'multiplies beyond measure', hint, start, end: start + 2 };
}

/** One wrong character makes several errors: the first of a line says it. */
function onePerLine(text: string, problems: readonly Problem[]): readonly Problem[] {
  const seen = new Set<number>();
  return problems.filter((problem) => {
    const line = lineStart(text, problem.start);
    return !seen.has(line) && seen.add(line);
  });
}

function decapitalize(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

function tooBig(fileName: string, maxLength: number): FlameError {
  return new FlameError({
    kind: 'environment',
    code: 'file-too-big',
    message: `${fileName} is longer than ${maxLength.toLocaleString('en-US')} characters.`,
  });
}
