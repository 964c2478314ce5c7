import { Composer, type CST, type Document, isMap, isScalar, isSeq, Parser, Scalar, visit, YAMLParseError } from 'yaml';
import { FlameError } from '../domain/flame-error.ts';

const maxDepth = 100;

/** A YAML (or JSON) text that knows where each of its values stands. */
export interface YamlSource {
  readonly fileName: string;
  /** Without a byte order mark. */
  readonly text: string;
  readonly document: Document.Parsed;
  /** Problems of the text as YAML. */
  readonly problems: readonly FileProblem[];
  /** From this offset on the text was guessed at: mistakes found there may be none. */
  readonly soundUntil: number;
}

/**
 * Reads a text as one YAML document; mistakes are in `problems`.
 * Throws a FlameError `file-too-big` beyond `maxLength` characters, `file-too-deep` where values nest without end.
 */
export function readYamlSource(text: string, fileName: string, maxLength = 1_000_000): YamlSource {
  if (text.length > maxLength) throw tooBig(fileName, maxLength);
  const bare = text.startsWith('\ufeff') ? text.slice(1) : text;
  const { document, problems } = parseText(bare, fileName);
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
  readonly problems: readonly FileProblem[];
} {
  try {
    return { value: source.document.toJS({ maxAliasCount: 100 }), problems: [] };
  } catch (error) {
    if (!(error instanceof ReferenceError)) throw error;
    return { value: null, problems: [describeAliasBomb(source.text)] };
  }
}

function parseText(text: string, fileName: string): Pick<YamlSource, 'document' | 'problems'> {
  const tokens = [...new Parser().parse(text)];
  if (tokens.some(isTooDeep)) throw tooDeep(fileName);
  const composer = new Composer({ logLevel: 'error', prettyErrors: false });
  const [document, second] = composer.compose(tokens, true, text.length);
  if (document === undefined) throw new Error('Internal error: YAML without a document');
  if (second !== undefined) {
    const [start, end] = second.range;
    document.errors.push(new YAMLParseError([start, end], 'MULTIPLE_DOCS', ''));
  }
  const problems = findSyntaxProblems(document, text);
  joinTwins(document.contents);
  return { document, problems };
}

/** The composer recurses, and a full stack can end the whole process there: V8 can't compile a regex any more. */
function isTooDeep(token: CST.Token): boolean {
  const open: { readonly token: CST.Token; readonly depth: number }[] = [{ token, depth: 0 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { token: current, depth } = next;
    if (depth > maxDepth) return true;
    const children = 'items' in current ? current.items.flatMap(({ key, value }) => [key, value]) : [];
    if (current.type === 'document') children.push(current.value);
    for (const child of children) if (child) open.push({ token: child, depth: depth + 1 });
  }
  return false;
}

/** Sections written twice are checked as one, other values as they stand first. */
function joinTwins(node: unknown): void {
  if (isSeq(node)) for (const item of node.items) joinTwins(item);
  if (!isMap(node)) return;
  const firsts = new Map<string, unknown>();
  node.items = node.items.filter(({ key, value }) => {
    const first = firsts.get(renderKeyInPath(key));
    if (!firsts.has(renderKeyInPath(key))) firsts.set(renderKeyInPath(key), value);
    else if (isMap(first) && isMap(value)) first.items.push(...value.items);
    else return false;
    return first === undefined;
  });
  for (const value of firsts.values()) joinTwins(value);
}

function tooBig(fileName: string, maxLength: number): FlameError {
  return new FlameError({
    kind: 'environment',
    code: 'file-too-big',
    message: `${fileName} is longer than ${maxLength.toLocaleString('en-US')} characters.`,
    hints: [`Shorten ${fileName}, then try again.`],
  });
}

function tooDeep(fileName: string): FlameError {
  return new FlameError({
    kind: 'environment',
    code: 'file-too-deep',
    message: `${fileName} is nested too deeply to be read.`,
    hints: [`Fix ${fileName}, then try again.`],
  });
}

/** A key as it is written in a path. */
export function renderKeyInPath(key: unknown): string {
  return isScalar(key) ? String(key.value ?? '') : String(key);
}

/**
 * Finds problems of a text as YAML. Aliases that lead nowhere become nothing in the document from here on, so that the
 * rest of it can be checked.
 */
function findSyntaxProblems(document: Document.Parsed, text: string): readonly FileProblem[] {
  const twins = document.errors.filter((error) => error.code === 'DUPLICATE_KEY');
  const broken = document.errors.filter((error) => error.code !== 'DUPLICATE_KEY');
  return [
    ...twins.map((error) => describeTwin(error, text)),
    ...onePerLine(
      text,
      broken.map((error) => describeSyntaxError(error, text)),
    ),
    ...dropLooseAliases(document, text),
  ];
}

/** Aliases of aliases that would fill the memory; the first alias is named for all. */
function describeAliasBomb(text: string): FileProblem {
  const start = Math.max(0, text.search(/\*\w/));
  const hint = 'write the values out';
  return { path: 'the alias', message: 'expands to more than can be read', hint, start, end: start + 2 };
}

interface SyntaxError {
  readonly code: string;
  readonly message: string;
  readonly pos: readonly [number, number];
}

const wordings: Readonly<Record<string, { readonly message: string; readonly hint: string | null }>> = {
  TAB_AS_INDENT: { message: 'is indented with a tab', hint: 'indent with spaces' },
  MULTIPLE_DOCS: { message: 'starts a second document', hint: 'one file holds one document: remove the ---' },
  BAD_SCALAR_START: { message: 'begins with a character that needs quotes', hint: 'write it in "quotes"' },
};

function describeTwin(error: SyntaxError, text: string): FileProblem {
  const [start] = error.pos;
  const key = /^(?:"[^"\n]*"|'[^'\n]*'|[^:,}\n]*)/.exec(text.slice(start))?.[0].trim() ?? '';
  const path = key.replace(/^(["'])(.+)\1$/, '$2') || '""';
  const end = start + Math.max(1, key.length);
  return { path, message: 'is written twice', hint: 'keep one of them', start, end };
}

function describeSyntaxError(error: SyntaxError, text: string): FileProblem {
  const known = wordings[error.code];
  const message = known?.message ?? `is not valid YAML: ${decapitalize(error.message)}`;
  const span = cutSpanToFirstLine(text, clampToText(text, error.pos[0]), error.pos[1]);
  return { path: 'the line', message, hint: known?.hint ?? null, ...span };
}

/** Errors at the very end of a text are shown at its last character that isn't a line break. */
function clampToText(text: string, offset: number): number {
  return offset < text.length ? offset : Math.max(0, text.trimEnd().length - 1);
}

function dropLooseAliases(document: Document, text: string): readonly FileProblem[] {
  const problems: FileProblem[] = [];
  visit(document, {
    Alias(_, alias) {
      if (alias.resolve(document) !== undefined) return undefined;
      const [start = 0, end = 0] = alias.range ?? [];
      const message = 'names an anchor that is not defined above it';
      problems.push({
        path: `*${alias.source}`,
        message,
        hint: null,
        ...cutSpanToFirstLine(text, start, end),
      });
      const nothing = new Scalar(null);
      nothing.range = [start, end, end];
      return nothing;
    },
  });
  return problems;
}

/** One wrong character makes several errors: the first of a line says it. */
function onePerLine(text: string, problems: readonly FileProblem[]): readonly FileProblem[] {
  const seen = new Set<number>();
  return problems.filter((problem) => {
    const line = lineStart(text, problem.start);
    return !seen.has(line) && seen.add(line);
  });
}

function decapitalize(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

/** The position of something in a value: keys and list positions, outermost first. */
export type ValuePath = readonly PropertyKey[];

/** A stretch of the text: offsets of its first character and of the one after its last. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A mistake in a file, to be shown with the others. `message` ends a sentence that begins with `path`. */
export interface FileProblem extends Span {
  readonly path: string;
  readonly message: string;
  readonly hint: string | null;
}

/** Underlines end with the line they began on. */
export function cutSpanToFirstLine(text: string, start: number, end: number): Span {
  const line = text.slice(start, end).split(/\r?\n/, 1)[0] ?? '';
  return { start, end: start + Math.max(1, line.trimEnd().length) };
}

/** Where the line of an offset begins. */
function lineStart(text: string, offset: number): number {
  return text.lastIndexOf('\n', offset - 1) + 1;
}
