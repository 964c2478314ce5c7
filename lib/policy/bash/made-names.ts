import { programFamily } from './program-names.ts';
import type { BashNode, Redirection, SimpleCommand, Word } from './syntax.ts';
import { writePrograms } from './write-programs.ts';

// What they write is not named in their arguments, or copies names that were not judged.
const carriers = new Set(
  'cp mv tar unzip zip gzip gunzip split csplit install rsync patch curl wget'.split(' '),
);
// They write one file, of a name that could hold blanks.
const sorters = new Set(['sort', 'uniq', 'tree', 'xxd']);
// The suffix of a copy, in which `*` is the name of the file, and files that scripts write.
const scriptNames = {
  sed: /^(?:-[a-zA-Z]*i|--in-place=)(?!\.?\w+(?:\.\w+)*$).|(?:^|[\s;{}/$\d])[wW]\s*[^\s;]/,
  awk: /print[^;}]*>/,
};
const starters = /^(?:xargs|find|timeout|time|nice|ionice|stdbuf|env|command|npx)$/;
const quiet =
  /^(?:status|diff|log|show|grep|ls-files|ls-tree|rev-parse|rev-list|branch|merge-base|blame|config|cat-file|remote|describe|tag|add|commit|rm|stash|name-rev|for-each-ref|check-ignore|diff-tree|shortlog|reflog)$/;
const writers = new Set(Object.keys(writePrograms));
const plain = /^(?!-)[\w./@%+=:,{}-]*$/;

/**
 * Whether a command line itself may make files of which the names are not in sight, or that bash would take apart or
 * for options: what is looked up before it runs is not what it finds then. A program of the project's own code could
 * read whatever it likes without that, and is not counted.
 */
export function mayMakeNames(node: BashNode): boolean {
  switch (node.kind) {
    case 'command':
      return makesNames(node) || node.inner.some(mayMakeNames);
    case 'test':
      return node.inner.some(mayMakeNames);
    case 'number':
      return node.runs.some(mayMakeNames);
    case 'names':
      return false;
    case 'if':
      return node.redirections.some(isOdd) || node.parts.some(mayMakeNames);
    case 'for':
      return node.redirections.some(isOdd) || [...node.given, ...node.bodies].some(mayMakeNames);
    case 'while':
      return (
        node.redirections.some(isOdd) ||
        mayMakeNames(node.body) ||
        (node.from !== null && mayMakeNames(node.from))
      );
    case 'subshell':
    case 'group':
      return node.redirections.some(isOdd) || mayMakeNames(node.body);
    default:
      return node.nodes.some(mayMakeNames);
  }
}

function makesNames({ words, redirections }: SimpleCommand): boolean {
  if (redirections.some(isOdd)) return true;
  const names = words.map(({ text }) => programFamily(text));
  const isStarter = starters.test(names[0] ?? '');
  return names.some((name, at) => (at === 0 || isStarter) && makesAt(words, { name, at }));
}

function makesAt(
  words: readonly Word[],
  { name, at }: { readonly name: string; readonly at: number },
): boolean {
  const later = words.slice(at + 1);
  if (name === 'git') return !quiet.test(later.find(({ text }) => !text.startsWith('-'))?.text ?? '');
  if (carriers.has(name)) return true;
  if (name === 'sed' || name === 'awk') return later.some(({ text }) => scriptNames[name].test(text));
  if (sorters.has(name)) return later.some(({ text }) => /\S.*\s.*\S/.test(text));
  if (!writers.has(name) || /^(?:rm|rmdir|chmod|truncate)$/.test(name)) return false;
  const isGivenMore = at > 0 && /^(?:xargs|find)$/.test(words[0]?.text ?? '');
  return isGivenMore || later.some((word) => !isPlainOperand(word));
}

function isPlainOperand({ text, unknown, isGlob }: Word): boolean {
  return (plain.test(text) || /^-[a-zA-Z]+$|^--[a-z-]+$/.test(text)) && unknown === null && !isGlob;
}

function isOdd({ access, target, outputs }: Redirection): boolean {
  return access === 'write' && (outputs !== undefined || !plain.test(target));
}
