import { type Document, Scalar, visit } from 'yaml';
import { lineStart, type Problem, toFirstLine } from './problem.ts';

/**
 * Finds problems of a text as YAML. Aliases that lead nowhere become nothing in the document from here on, so that the
 * rest of it can be checked.
 */
export function findSyntaxProblems(document: Document.Parsed, text: string): readonly Problem[] {
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
export function describeAliasBomb(text: string): Problem {
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
  MULTIPLE_DOCS: { message: 'begins a second document', hint: 'one file holds one document: remove the ---' },
  BAD_SCALAR_START: { message: 'begins with a character that needs quotes', hint: 'write it in "quotes"' },
};

function describeTwin(error: SyntaxError, text: string): Problem {
  const [start] = error.pos;
  const key = /^(?:"[^"\n]*"|'[^'\n]*'|[^:,}\n]*)/.exec(text.slice(start))?.[0].trim() ?? '';
  const path = key.replace(/^(["'])(.+)\1$/, '$2') || '""';
  const end = start + Math.max(1, key.length);
  return { path, message: 'is written twice', hint: 'keep one of them', start, end };
}

function describeSyntaxError(error: SyntaxError, text: string): Problem {
  const known = wordings[error.code];
  const message = known?.message ?? `is not valid YAML: ${decapitalize(error.message)}`;
  const span = toFirstLine(text, clampToText(text, error.pos[0]), error.pos[1]);
  return { path: 'the line', message, hint: known?.hint ?? null, ...span };
}

/** Errors at the very end of a text are shown at its last character that isn't a line break. */
function clampToText(text: string, offset: number): number {
  return offset < text.length ? offset : Math.max(0, text.trimEnd().length - 1);
}

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
