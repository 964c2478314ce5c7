import type { LanguageFn } from 'highlight.js';
import hljs from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import c from 'highlight.js/lib/languages/c';
import cpp from 'highlight.js/lib/languages/cpp';
import csharp from 'highlight.js/lib/languages/csharp';
import css from 'highlight.js/lib/languages/css';
import dart from 'highlight.js/lib/languages/dart';
import diff from 'highlight.js/lib/languages/diff';
import dockerfile from 'highlight.js/lib/languages/dockerfile';
import elixir from 'highlight.js/lib/languages/elixir';
import go from 'highlight.js/lib/languages/go';
import graphql from 'highlight.js/lib/languages/graphql';
import haskell from 'highlight.js/lib/languages/haskell';
import ini from 'highlight.js/lib/languages/ini';
import java from 'highlight.js/lib/languages/java';
import javascript from 'highlight.js/lib/languages/javascript';
import json from 'highlight.js/lib/languages/json';
import kotlin from 'highlight.js/lib/languages/kotlin';
import less from 'highlight.js/lib/languages/less';
import lua from 'highlight.js/lib/languages/lua';
import makefile from 'highlight.js/lib/languages/makefile';
import markdown from 'highlight.js/lib/languages/markdown';
import objectivec from 'highlight.js/lib/languages/objectivec';
import perl from 'highlight.js/lib/languages/perl';
import php from 'highlight.js/lib/languages/php';
import protobuf from 'highlight.js/lib/languages/protobuf';
import python from 'highlight.js/lib/languages/python';
import r from 'highlight.js/lib/languages/r';
import ruby from 'highlight.js/lib/languages/ruby';
import rust from 'highlight.js/lib/languages/rust';
import scala from 'highlight.js/lib/languages/scala';
import scss from 'highlight.js/lib/languages/scss';
import sql from 'highlight.js/lib/languages/sql';
import swift from 'highlight.js/lib/languages/swift';
import typescript from 'highlight.js/lib/languages/typescript';
import xml from 'highlight.js/lib/languages/xml';
import yaml from 'highlight.js/lib/languages/yaml';

/** The languages whose words are coloured, with the endings of their files. */
const languages: Readonly<Record<string, readonly [language: LanguageFn, ...endings: string[]]>> = {
  bash: [bash, 'sh', 'bash', 'zsh'],
  c: [c, 'c', 'h'],
  cpp: [cpp, 'cc', 'cpp', 'cxx', 'hh', 'hpp', 'hxx'],
  csharp: [csharp, 'cs'],
  css: [css, 'css'],
  dart: [dart, 'dart'],
  diff: [diff, 'diff', 'patch'],
  dockerfile: [dockerfile, 'dockerfile'],
  elixir: [elixir, 'ex', 'exs'],
  go: [go, 'go'],
  graphql: [graphql, 'graphql', 'gql'],
  haskell: [haskell, 'hs'],
  ini: [ini, 'ini', 'toml', 'cfg', 'editorconfig', 'gitconfig'],
  java: [java, 'java'],
  javascript: [javascript, 'js', 'mjs', 'cjs', 'jsx'],
  json: [json, 'json', 'jsonc', 'json5', 'webmanifest'],
  kotlin: [kotlin, 'kt', 'kts'],
  less: [less, 'less'],
  lua: [lua, 'lua'],
  makefile: [makefile, 'mk', 'makefile', 'gnumakefile'],
  markdown: [markdown, 'md', 'markdown', 'mdx'],
  objectivec: [objectivec, 'm', 'mm'],
  perl: [perl, 'pl', 'pm'],
  php: [php, 'php'],
  protobuf: [protobuf, 'proto'],
  python: [python, 'py', 'pyi', 'pyw'],
  r: [r, 'r'],
  ruby: [ruby, 'rb', 'rake', 'gemspec', 'gemfile', 'rakefile'],
  rust: [rust, 'rs'],
  scala: [scala, 'scala', 'sc'],
  scss: [scss, 'scss'],
  sql: [sql, 'sql'],
  swift: [swift, 'swift'],
  typescript: [typescript, 'ts', 'mts', 'cts', 'tsx'],
  xml: [xml, 'html', 'htm', 'xml', 'svg', 'xhtml', 'vue', 'svelte', 'ejs', 'plist'],
  yaml: [yaml, 'yml', 'yaml'],
};

const byEnding = new Map(
  Object.entries(languages).flatMap(([name, [, ...endings]]) => endings.map((ending) => [ending, name] as const)),
);

export function findLanguageOfPath(path: string): string | null {
  const file = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  return byEnding.get(file.slice(file.lastIndexOf('.') + 1)) ?? null;
}

/** A word of a text that has a colour. */
export interface HighlightedRange {
  readonly from: number;
  readonly to: number;
  readonly kind: string;
}

/** As above, for lines from the middle of a file, which may begin within a block of code. */
export function findColouredWordsInPart(text: string, language: string): readonly HighlightedRange[] {
  const begins = language === 'markdown' && beginsInsideCodeBlock(text);
  if (begins === null) return [];
  if (!begins) return findColouredWords(text, language);
  const fence = '```\n';
  return findColouredWords(`${fence}${text}`, language)
    .map(({ from, to, kind }) => ({ from: from - fence.length, to: to - fence.length, kind }))
    .filter(({ to }) => to > 0)
    .map(({ from, ...word }) => ({ from: Math.max(0, from), ...word }));
}

/** The words of a text that have colours, in order, each once. */
export function findColouredWords(text: string, language: string): readonly HighlightedRange[] {
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
function readWords(html: string): readonly HighlightedRange[] {
  const words: HighlightedRange[] = [];
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

// See the CommonMark spec, fenced code blocks.
const fence = /^ {0,3}(?:`{3,}|~{3,})[ \t]*([^\s`]*)[^`]*$/;

/**
 * True if some lines of a Markdown file begin within a block of code. A fence that names a language opens one; null: no
 * such fence and an odd number of others, so it is unknown.
 */
export function beginsInsideCodeBlock(text: string): boolean | null {
  const names = text.split('\n').flatMap((line) => fence.exec(line)?.[1] ?? []);
  const named = names.findIndex((name) => name !== '');
  if (named >= 0) return named % 2 === 1;
  return names.length % 2 === 0 ? false : null;
}

/** Languages that others have in them. */
const inside: Readonly<Record<string, readonly string[]>> = {
  dart: ['markdown'],
  dockerfile: ['bash'],
  javascript: ['css', 'graphql', 'xml'],
  markdown: ['xml'],
  typescript: ['css', 'graphql', 'xml'],
  xml: ['css', 'javascript'],
  yaml: ['ruby'],
};
