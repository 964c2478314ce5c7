import hljs from 'highlight.js/lib/core';
import { beginsInFence } from './begins-in-fence.ts';
import { inside, languages } from './languages.ts';

const byEnding = new Map(
  Object.entries(languages).flatMap(([name, [, ...endings]]) =>
    endings.map((ending) => [ending, name] as const),
  ),
);

export function languageOf(path: string): string | null {
  const file = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  return byEnding.get(file.slice(file.lastIndexOf('.') + 1)) ?? null;
}

/** A word of a text that has a colour. */
export interface Word {
  readonly from: number;
  readonly to: number;
  readonly kind: string;
}

/** As above, for lines from the middle of a file, which may begin within a block of code. */
export function findWordsOfPart(text: string, language: string): readonly Word[] {
  const begins = language === 'markdown' && beginsInFence(text);
  if (begins === null) return [];
  if (!begins) return findWords(text, language);
  const fence = '```\n';
  return findWords(`${fence}${text}`, language)
    .map(({ from, to, kind }) => ({ from: from - fence.length, to: to - fence.length, kind }))
    .filter(({ to }) => to > 0)
    .map(({ from, ...word }) => ({ from: Math.max(0, from), ...word }));
}

/** The words of a text that have colours, in order, each once. */
export function findWords(text: string, language: string): readonly Word[] {
  learn(language);
  return readWords(hljs.highlight(text, { language, ignoreIllegals: true }).value);
}

/** A grammar is made when its first file is seen: all of them take longer than the page. */
function learn(name: string): void {
  const [language] = languages[name] ?? [];
  if (language === undefined || hljs.getLanguage(name) !== undefined) return;
  hljs.registerLanguage(name, language);
  for (const other of inside[name] ?? []) learn(other);
}

/** Kinds of words that have a colour of their own in review.css, as `::highlight(code-…)`. */
const kinds: Readonly<Record<string, string>> = {
  ...of('keyword', 'keyword', 'literal', 'built_in', 'selector-tag', 'meta'),
  ...of('string', 'string', 'regexp', 'char', 'addition', 'link', 'code'),
  ...of('number', 'number', 'symbol', 'bullet'),
  ...of('comment', 'comment', 'quote', 'doctag', 'deletion'),
  ...of('name', 'title', 'section', 'name', 'selector-class', 'selector-id', 'type', 'class'),
  ...of('attribute', 'attr', 'attribute', 'property', 'variable', 'template-variable', 'params'),
};

function of(kind: string, ...scopes: readonly string[]): Record<string, string> {
  return Object.fromEntries(scopes.map((scope) => [scope, kind]));
}

/** Reads highlight.js's marks, by position: its result is text, `<span class="hljs-…">` and five entities. */
function readWords(html: string): readonly Word[] {
  const words: Word[] = [];
  const open: (string | null)[] = [];
  let [length, from] = [0, 0];
  const close = (): void => {
    const kind = open.findLast((one) => one !== null);
    if (kind !== undefined && kind !== null && length > from) words.push({ from, to: length, kind });
    from = length;
  };
  for (const [piece] of html.matchAll(/<span class="([^"]*)">|<\/span>|&[#\w]+;|[^<&]+|[<&]/g)) {
    if (piece === '</span>') {
      close();
      open.pop();
    } else if (piece.startsWith('<span')) {
      close();
      const scope = /hljs-([\w-]+)/.exec(piece)?.[1] ?? '';
      open.push(kinds[scope] ?? null);
    } else length += piece.startsWith('&') && piece.endsWith(';') ? 1 : piece.length;
  }
  return words;
}
