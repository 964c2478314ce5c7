import type { LanguageFn } from 'highlight.js';
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
export const languages: Readonly<Record<string, readonly [language: LanguageFn, ...endings: string[]]>> = {
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

/** Languages that others have in them. */
export const inside: Readonly<Record<string, readonly string[]>> = {
  dart: ['markdown'],
  dockerfile: ['bash'],
  javascript: ['css', 'graphql', 'xml'],
  markdown: ['xml'],
  typescript: ['css', 'graphql', 'xml'],
  xml: ['css', 'javascript'],
  yaml: ['ruby'],
};
