const shells = /^(?:(?:ba|da|k|z|a|fi)?sh|source|\.)$/;
const interpreters = /^(?:node(?:js)?|bun|deno|tsx|ts-node|python[\d.]*|ruby|perl|php|lua)$/;
// Run what stands after them as it stands there.
const wrappers = /^(?:env|exec|command|builtin|nohup|time|nice|ionice|timeout|stdbuf|setsid|sudo|doas)$/;
const keywords = /^(?:if|then|else|elif|fi|do|done|while|until|esac|!|\{|\})$/;
// Words in code on the command line that read or start another file.
const reaching = /\b(?:require|import|exec\w*|spawn\w*|system|popen|eval|load|open|run\w*|read\w*|source)\b|`/;
const assignment = /^([A-Za-z_]\w*)\+?=(.*)$/s;
const topFolder =
  /\$\((?:git rev-parse --show-toplevel|pwd)\)|`(?:git rev-parse --show-toplevel|pwd)`|\$(?:PWD\b|\{PWD\})/g;
const deepest = 4;

/**
 * Whether a shell command runs what its words don't name: what a variable, the output of another command, or a list
 * made as it runs leads to. Rather yes than no. `isNamed` says whether a word is known to mean a file although it
 * holds a variable.
 */
export function runsUnnamedProgram(command: string, isNamed: (word: string) => boolean, depth = 0): boolean {
  if (depth > deepest) return true;
  const known = new Set<string>();
  const judge: Judge = {
    isOpen: (word) => {
      const plain = unquoted(word);
      if (!hasVariable(word) || /^\$(?:HOME|\{HOME\})\//.test(plain)) return false;
      const variable = /^\$\{?(\w+)\}?$/.exec(plain)?.[1] ?? '';
      return !known.has(variable) && !isNamed(plain);
    },
    runs: (text) => runsUnnamedProgram(text, isNamed, depth + 1),
  };
  return splitCommands(command.replaceAll(topFolder, '.')).some((one) => {
    if (one.words.flatMap(substitutionsIn).some(judge.runs)) return true;
    const [program = '', ...args] = withoutStart(one.words, known);
    return judge.isOpen(program) || startsUnnamed({ ...one, words: [unquoted(program), ...args] }, known, judge);
  });
}

interface Judge {
  /** True if a word's value is not known. */
  isOpen(word: string): boolean;
  /** Whether a command in a command does. */
  runs(text: string): boolean;
}

function startsUnnamed(command: ShellCommand, known: Set<string>, judge: Judge): boolean {
  const [program = '', ...args] = command.words;
  const name = program.split('/').at(-1) ?? '';
  if (name === 'for') note(known, args[0], args.slice(2));
  if (/^(?:read|mapfile|readarray)$/.test(name)) for (const word of args) known.delete(word);
  if (/^(?:eval|xargs|parallel)$/.test(name)) return true;
  if (args.some((word) => /^-(?:exec|ok)(?:dir)?$/.test(word))) return true;
  if (/^(?:cd|pushd)$/.test(name)) return args.some(judge.isOpen);
  if (!shells.test(name) && !interpreters.test(name)) return false;
  return readsUnnamed(command, { isShell: shells.test(name), judge });
}

/** True if an interpreter is given code, a file or input that no trust item covers. */
function readsUnnamed(
  { words: [, ...args], inputs, isPiped }: ShellCommand,
  { isShell, judge }: { readonly isShell: boolean; readonly judge: Judge },
): boolean {
  for (let at = 0; at < args.length; at += 1) {
    const [word = '', next = ''] = args.slice(at, at + 2);
    const isCode = isShell ? /^-[a-z]*c$/.test(word) : /^(?:-[cepE]|-pe|--eval|--print)$/.test(word);
    if (isCode) return judge.isOpen(next) || (isShell ? judge.runs(unquoted(next)) : reaching.test(next));
    if (/^(?:-r|--require|--import|--loader|-m)$/.test(word)) {
      if (judge.isOpen(next)) return true;
      if (word === '-m') return false;
      at += 1;
    } else if (!word.startsWith('-') && !/^(?:run|task|test)$/.test(word)) return judge.isOpen(word);
  }
  return isPiped || inputs.some((word) => word === '' || judge.isOpen(word));
}

/** Without keywords, assignments and programs that only run another. */
function withoutStart(words: readonly string[], known: Set<string>): readonly string[] {
  let isWrapped = false;
  const start = words.findIndex((word) => {
    const [, name, value = ''] = assignment.exec(word) ?? [];
    note(known, name, [value]);
    isWrapped ||= wrappers.test(word);
    const isBefore = name !== undefined || keywords.test(word) || wrappers.test(word);
    return !isBefore && !(isWrapped && /^(?:-|\d)/.test(word));
  });
  return start < 0 ? [] : words.slice(start);
}

/** Records whether the words of the command have all values of a variable. */
function note(known: Set<string>, name: string | undefined, values: readonly string[]): void {
  if (name === undefined) return;
  if (values.length === 0 || values.some(hasVariable)) known.delete(name);
  else known.add(name);
}

/** One command of a shell line, as far as it can be separated without a shell. */
interface ShellCommand {
  /** With their quotes. What a substitution stands for is a word that begins with `$`. */
  readonly words: readonly string[];
  /** Sources that its input is redirected from, with their quotes; '' for text made as it runs. */
  readonly inputs: readonly string[];
  /** Whether another command writes its input. */
  readonly isPiped: boolean;
}

const token =
  /\$\(|\d*(?:<<<|<<-?|<>|>>|>\||[<>])&?|[;&|()`\n]|(?:\\.|"(?:\\.|[^"\\])*"|'[^']*'|\$\{[^}]*\}|\$(?!\()|[^\s;&|()`$"'\\<>])+/gs;

interface Draft {
  words: string[];
  inputs: string[];
  isPiped: boolean;
}

/** The commands of a shell line, those inside `$(…)`, backticks and parentheses too. */
function splitCommands(line: string): readonly ShellCommand[] {
  const found: ShellCommand[] = [];
  const outer: Draft[] = [];
  let now: Draft = { words: [], inputs: [], isPiped: false };
  let redirect: string | null = null;
  let isTicked = false;
  const begin = (isPiped: boolean): void => {
    if (now.words.length > 0) found.push(now);
    now = { words: [], inputs: [], isPiped };
  };
  const goIn = (): void => {
    outer.push(now);
    now = { words: [], inputs: [], isPiped: false };
  };
  for (const [part] of line.matchAll(token)) {
    const closes = part === ')' || (part === '`' && isTicked);
    if (part === '`') isTicked = !isTicked;
    if (closes) {
      begin(false);
      now = outer.pop() ?? now;
    } else if (part === '$(' || part === '`') {
      if (redirect?.startsWith('<')) now.inputs.push('');
      else if (redirect === null) now.words.push('$()');
      goIn();
    } else if (part === '(' && redirect !== null) {
      now.inputs.push('');
      goIn();
    } else if (/^[;&|(\n]$/.test(part)) begin(part === '|');
    else if (/^\d*[<>]/.test(part)) {
      redirect = part.replace(/^\d+/, '');
      continue;
    } else if (redirect === null) now.words.push(part);
    else if (redirect.startsWith('<')) now.inputs.push(part);
    redirect = null;
  }
  begin(false);
  while (outer.length > 0) {
    now = outer.pop() ?? now;
    begin(false);
  }
  return found;
}

/** The text of commands inside a word in double quotes. */
function substitutionsIn(word: string): readonly string[] {
  const inner = /\$\(((?:[^()]|\([^()]*\))*)\)|`([^`]*)`/gs;
  return word.includes('"') ? [...word.matchAll(inner)].map(([, one, other]) => one ?? other ?? '') : [];
}

/** A word as its program reads it, but for variables. */
function unquoted(word: string): string {
  return word.replace(/\\(.)|["']/gs, (_whole, escaped: string | undefined) => escaped ?? '');
}

/** Whether a word holds what is only known when it runs. */
function hasVariable(word: string): boolean {
  return /[$`]/.test(word.replace(/'[^']*'|\\./gs, ''));
}
