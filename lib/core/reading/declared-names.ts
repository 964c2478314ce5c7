import { addToListOfKey } from '../../util/sort-and-group.ts';
import type { Language } from './file-kind.ts';

/** Public names of a file, each with its signatures: more than one where it is overloaded or a method of several types. */
export type DeclaredNames = ReadonlyMap<string, readonly string[]>;

/** How a name is declared: its pattern has a group `name`; the signature is what stands from the match up to `ends`. */
interface Declaration {
  readonly pattern: RegExp;
  /** The first of these characters outside brackets ends the signature; '' : the name alone is public. */
  readonly ends: string;
  /** Blocks whose members it declares, by their first line: `owner` is the name of one, `isExported` its sign. */
  readonly within?: RegExp;
}

const declarations: Readonly<Record<Language, readonly Declaration[]>> = {
  js: [
    {
      pattern: /^export\s+(?:default\s+)?(?:declare\s+)?(?:async\s+)?function\*?\s+(?<name>[\w$]+)\s*(?=[(<])/gm,
      ends: '{;',
    },
    {
      pattern: /^export\s+(?:default\s+)?(?:declare\s+)?(?:abstract\s+)?class\s+(?<name>[\w$]+)/gm,
      ends: '{',
    },
    { pattern: /^export\s+(?:declare\s+)?(?:const|let|var)\s+(?<name>[\w$]+)/gm, ends: '=;' },
    {
      pattern: /^export\s+(?:declare\s+)?(?:type|interface|(?:const\s+)?enum|namespace)\s+(?<name>[\w$]+)/gm,
      ends: '',
    },
    { pattern: /^(?:module\.)?exports\.(?<name>[\w$]+)\s*=/gm, ends: '' },
    {
      within: /^(?<isExported>export\s+(?:default\s+)?(?:declare\s+)?)?(?:abstract\s+)?class\s+(?<owner>[\w$]+)/gm,
      pattern:
        /^(?:(?:public|protected|static|abstract|override|async|get|set)[ \t]+){0,6}(?:\*[ \t]*)?(?<name>(?!_)[\w$]+)\??\s*(?=[(<])/gm,
      ends: '{;\n',
    },
  ],
  python: [
    { pattern: /^(?:async\s+)?def\s+(?<name>(?!_)\w+)\s*(?=\()/gm, ends: ':' },
    { pattern: /^class\s+(?<name>(?!_)\w+)/gm, ends: ':' },
    {
      within: /^class\s+(?<owner>(?!_)\w+)/gm,
      pattern: /^(?:async\s+)?def\s+(?<name>(?!_)\w+|__\w+__)\s*(?=\()/gm,
      ends: ':',
    },
    { pattern: /^(?<name>[A-Z]\w{2,})\s*(?::[^=\n]+)?=(?!=)/gm, ends: '' },
  ],
  go: [
    { pattern: /^func\s+(?:\([^)\n]*\)\s*)?(?<name>[A-Z]\w*)\s*(?=[([])/gm, ends: '{\n' },
    { pattern: /^type\s+(?<name>[A-Z]\w*)/gm, ends: '{\n' },
    { pattern: /^(?:var|const)\s+(?<name>[A-Z]\w*)/gm, ends: '' },
    {
      within: /^(?:var|const)\s*(?=\($)/gm,
      pattern: /^(?<name>[A-Z]\w*)(?=[ \t]*(?:$|[=,/]|[\w.*[\]{}]+[ \t]*(?:=|$)))/gm,
      ends: '',
    },
    {
      within: /^type\s+(?<owner>[A-Z]\w*)[^\n]{0,200}\binterface\b/gm,
      pattern: /^(?<name>[A-Z]\w*)(?=\()/gm,
      ends: '\n',
    },
  ],
  rust: [
    {
      pattern: /^[ \t]*pub\s+(?:(?:const|async|unsafe|extern[ \t]+"[^"\n]*")[ \t]+){0,6}fn\s+(?<name>\w+)/gm,
      ends: '{;',
    },
    { pattern: /^[ \t]*pub\s+(?:struct|enum|trait|type|union|mod)\s+(?<name>\w+)/gm, ends: '' },
    { pattern: /^[ \t]*pub\s+(?:const|static)\s+(?<name>\w+)\s*(?=:)/gm, ends: '=;' },
    {
      within: /^[ \t]*pub\s+(?:unsafe\s+)?trait\s+(?<owner>\w+)/gm,
      pattern: /^(?:(?:const|async|unsafe)[ \t]+){0,3}fn\s+(?<name>\w+)/gm,
      ends: '{;',
    },
  ],
  c: [
    {
      pattern:
        /^(?!static\b|typedef\b|return\b|else\b|case\b|using\b|#)[A-Za-z_][\w \t*&:<>,]{0,200}?[ \t*&](?<name>[A-Za-z_]\w*(?:::~?\w+)*)\s*(?=\([^;{}]{0,2000}\)[^;{}()]{0,60}[;{])/gm,
      ends: '{;',
    },
    { pattern: /(?<!\bstatic\b[^\n]*\n)^(?<name>[A-Za-z_]\w*)\s?(?=\([^;{}()]{0,2000}\)\s*\n\{)/gm, ends: '{;' },
    { pattern: /^#\s*define\s+(?<name>[A-Z_]\w*)\(/gm, ends: '' },
  ],
  java: [
    {
      pattern:
        /^[ \t]*(?:public|protected)\s+(?:(?:static|final|abstract|synchronized|virtual|override|async|default|native|sealed|partial)[ \t]+){0,6}(?:class|interface|enum|record|struct)\s+(?<name>\w+)/gm,
      ends: '',
    },
    {
      pattern: /^[ \t]*(?:public|protected)\s+(?:[\w.<>[\],?]+[ \t]+){0,6}(?<name>\w+)\s*(?=\()/gm,
      ends: '{;',
    },
    {
      pattern:
        /^[ \t]*(?:public[ \t]+)?(?:(?:override|open|suspend|inline|operator|abstract)[ \t]+){0,6}fun[ \t]+(?:<[^>\n]*>\s*)?(?:\w+\.)?(?<name>\w+)\s*(?=\()/gm,
      ends: '{=\n',
    },
    {
      within: /^[ \t]*(?:(?:public|protected|static|sealed|partial|abstract)[ \t]+){1,6}interface\s+(?<owner>\w+)/gm,
      pattern: /^(?!private\b|public\b|protected\b|return\b)(?:[\w.<>[\],?]+[ \t]+){1,8}(?<name>\w+)\s*(?=\()/gm,
      ends: '{;',
    },
  ],
  other: [],
};

/** Longer ones are not compared. */
const longestSignature = 1_000;
/** A text with more that have no end is no program. */
const mostUnended = 100;

/** Finds the public names that a text declares, by patterns of its language: no parser, so what they don't see is none. */
export function findDeclaredNames(text: string, language: Language): DeclaredNames {
  const names = new Map<string, string[]>();
  let unended = 0;
  for (const { pattern, ends, within } of declarations[language]) {
    for (const { owner, body } of within === undefined
      ? [{ owner: '', body: text }]
      : listBlocks(text, within, language)) {
      for (const match of body.matchAll(pattern)) {
        const name = match.groups?.name;
        if (name === undefined || notNames.has(name)) continue;
        const start = match.index + match[0].length;
        const isRead = ends !== '' && unended < mostUnended;
        const signature = isRead ? readSignature(body, start, { ends, isAngled: angled.has(language) }) : '';
        if (signature === null) unended += 1;
        const isConstructor = constructors.test(name);
        // One that takes nothing is as good as none.
        if (isConstructor && /^\((?:self)?\)/.test(signature ?? '')) continue;
        addToListOfKey(names, isConstructor ? owner : name, signature ?? '');
      }
    }
  }
  if (language === 'js') for (const name of listExportedNames(text)) addToListOfKey(names, name, '');
  return names;
}

/** They have the name of their class: that is what others write. */
const constructors = /^(?:constructor|__init__)$/;

interface Block {
  readonly owner: string;
  /** Its lines, without the indentation that the first of its members has. */
  readonly body: string;
}

/** The public blocks that a text opens, each up to the line that closes it: those within another are not among them. */
function listBlocks(text: string, opens: RegExp, language: Language): readonly Block[] {
  const assigned = /^(?:export\s+default|(?:module\.)?exports(?:\.[\w$]+)?\s*=)\s*(?:new\s+)?([\w$]+)/gm;
  const exported = new Set(
    language === 'js' ? [...text.matchAll(assigned)].map(([, name]) => name).concat(listExportedNames(text)) : [],
  );
  const blocks: Block[] = [];
  let end = 0;
  for (const { 0: head, index, groups = {} } of text.matchAll(opens)) {
    const { owner = '' } = groups;
    const isPublic = !('isExported' in groups) || groups.isExported !== undefined || exported.has(owner);
    const start = text.indexOf('\n', index);
    const isEmpty = /[};]\s*$/.test(text.slice(Math.max(index, start - 80), start));
    if (index < end || start === -1 || isEmpty || !isPublic) continue;
    const indent = /^[ \t]*/.exec(head)?.[0] ?? '';
    const closing = language === 'python' ? /\n(?=[^\s)#])|$/g : new RegExp(`\\n${indent}[})]`, 'g');
    closing.lastIndex = start;
    const closed = closing.exec(text);
    // A hunk cuts it off, and those that follow; no program has this.
    if (closed === null) break;
    end = closed.index;
    const lines = text.slice(start + 1, end).split('\n');
    const inner = /^[ \t]*/.exec(lines.find((line) => /^[ \t]+\S/.test(line.slice(indent.length))) ?? '')?.[0] ?? '';
    // Of what stands deeper, the indentation is kept: it is no member.
    const body = lines.map((line) => (line.startsWith(inner) ? line.slice(inner.length) : ` ${line}`)).join('\n');
    blocks.push({ owner, body });
  }
  return blocks;
}

const notNames = new Set(['if', 'for', 'while', 'switch', 'return', 'sizeof', 'catch', 'new', 'defined']);
/** Languages whose types have their arguments in angle brackets. */
const angled: ReadonlySet<Language> = new Set(['js', 'rust', 'java', 'c']);

interface SignatureEnd {
  readonly ends: string;
  readonly isAngled: boolean;
}

/** The text from a place up to one of some characters outside brackets, its white space evened out; null: none of them comes soon. */
function readSignature(text: string, from: number, { ends, isAngled }: SignatureEnd): string | null {
  const [opening, closing] = isAngled ? ['([{<', ')]}>'] : ['([{', ')]}'];
  let depth = 0;
  let at = from;
  const last = Math.min(text.length, from + longestSignature);
  for (; at < last; at += 1) {
    const character = text[at] ?? '';
    if (depth === 0 && ends.includes(character) && !text.startsWith('=>', at)) break;
    if (opening.includes(character)) depth += 1;
    else if (closing.includes(character) && text[at - 1] !== '=' && text[at - 1] !== '-') depth -= 1;
    if (depth < 0) break;
  }
  if (at === from + longestSignature) return null;
  return text
    .slice(from, at)
    .replace(/\/\/[^\n]*|\/\*[\s\S]*?\*\//g, '')
    .replace(/\s+/g, ' ')
    .replace(/([([{<]) | (?=[)\]}>,:])/g, '$1')
    .replace(/,(?=[)\]}]|\s*$)/g, '')
    .replace(/(?<=[(,] ?)(?:(?:mut|public|private|protected|readonly|override) )+(?=[\w$]+\??:)/g, '')
    .trim();
}

/** Names of `export { a, b as c }` and `module.exports = { a, b }`. */
function listExportedNames(text: string): readonly string[] {
  const lists = [...text.matchAll(/^(?:export\s+(?:type\s+)?|module\.exports\s*=\s*)\{([^{}]*)\}/gm)];
  return lists
    .flatMap(([, list = '']) => list.replace(/\/\/[^\n]*/g, '').split(','))
    .map((entry) => /([\w$]+)\s*(?::[\s\S]*)?$/.exec(entry.trim())?.[1] ?? '')
    .filter((name) => name !== '' && name !== 'default');
}
