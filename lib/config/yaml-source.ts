import { Composer, type CST, type Document, isMap, isScalar, isSeq, Parser, YAMLParseError } from 'yaml';
import { FlameError } from '../domain/flame-error.ts';
import { describeAliasBomb, findSyntaxProblems } from './find-syntax-problems.ts';
import { lineStart, type Problem } from './problem.ts';

const maxDepth = 100;

/** A YAML (or JSON) text that knows where each of its values stands. */
export interface YamlSource {
  readonly fileName: string;
  /** Without a byte order mark. */
  readonly text: string;
  readonly document: Document.Parsed;
  /** Problems of the text as YAML. */
  readonly problems: readonly Problem[];
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
  readonly problems: readonly Problem[];
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
    const first = firsts.get(keyText(key));
    if (!firsts.has(keyText(key))) firsts.set(keyText(key), value);
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
    hints: [`Mend ${fileName}, then try again.`],
  });
}

/** A key as it is written in a path. */
export function keyText(key: unknown): string {
  return isScalar(key) ? String(key.value ?? '') : String(key);
}
