import { forEachChild, parse, type Redirection, type SyntaxNode } from 'unbash';

const shells = /^(?:(?:ba|da|k|z|a|fi)?sh|source|\.)$/;
const interpreters = /^(?:node(?:js)?|bun|deno|tsx|ts-node|python[\d.]*|ruby|perl|php|lua)$/;
// Run what stands after them as it stands there.
const wrappers = /^(?:env|exec|command|builtin|nohup|time|nice|ionice|timeout|stdbuf|setsid|sudo|doas)$/;
// Words in code on the command line that read or start another file.
const reaching = /\b(?:require|import|exec\w*|spawn\w*|system|popen|eval|load|open|run\w*|read\w*|source)\b|`/;
const assignment = /^([A-Za-z_]\w*)\+?=(.*)$/s;
const topFolder =
  /\$\((?:git rev-parse --show-toplevel|pwd)\)|`(?:git rev-parse --show-toplevel|pwd)`|\$(?:PWD\b|\{PWD\})/g;
const deepest = 4;
const longestLine = 20_000;

/**
 * Whether a shell command runs what its words don't name: what a variable, the output of another command, or a list
 * made as it runs leads to. Rather yes than no: also where it doesn't parse. `isNamed` says whether a word is known to
 * mean a file although it holds a variable.
 */
export function runsUnnamedProgram(command: string, isNamed: (word: string) => boolean, depth = 0): boolean {
  const commands = depth > deepest ? null : listCommands(command.replaceAll(topFolder, '.'));
  if (commands === null) return true;
  const known = new Set<string>();
  const judge: Judge = {
    isOpen: (word) => {
      const plain = unquoteWord(word);
      if (!hasVariable(word) || /^\$(?:HOME|\{HOME\})\//.test(plain)) return /^[<>]\(/.test(word);
      const variable = /^\$\{?(\w+)\}?$/.exec(plain)?.[1] ?? '';
      return !known.has(variable) && !(isNamed(plain) && !/\$\(|`/.test(plain));
    },
    runs: (text) => runsUnnamedProgram(text, isNamed, depth + 1),
  };
  return commands.some((one) => {
    const [program = '', ...args] = withoutStart(one.words, known);
    return judge.isOpen(program) || startsUnnamed({ ...one, words: [unquoteWord(program), ...args] }, known, judge);
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
  if (name === 'for') note(known, args[0], args.slice(1));
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
  const runsCode = (code: string): boolean => (isShell ? judge.runs(code) : reaching.test(code));
  for (let at = 0; at < args.length; at += 1) {
    const [word = '', next = ''] = args.slice(at, at + 2);
    const isCode = isShell ? /^-[a-z]*c$/.test(word) : /^(?:-[cepE]|-pe|--eval|--print)$/.test(word);
    if (isCode) return judge.isOpen(next) || runsCode(unquoteWord(next));
    if (/^(?:-r|--require|--import|--loader|-m)$/.test(word)) {
      if (judge.isOpen(next)) return true;
      if (word === '-m') return false;
      at += 1;
    } else if (!word.startsWith('-') && !/^(?:run|task|test)$/.test(word)) return judge.isOpen(word);
  }
  return (
    isPiped ||
    inputs.some((input) =>
      input.type === 'HereDoc' ? runsCode(input.body.text) : judge.isOpen(input.target?.text ?? '$'),
    )
  );
}

/** Without assignments and programs that only run another. */
function withoutStart(words: readonly string[], known: Set<string>): readonly string[] {
  let isWrapped = false;
  const start = words.findIndex((word) => {
    const [, name, value = ''] = assignment.exec(word) ?? [];
    note(known, name, [value]);
    isWrapped ||= wrappers.test(word);
    return name === undefined && !wrappers.test(word) && !(isWrapped && /^(?:-|\d)/.test(word));
  });
  return start < 0 ? [] : words.slice(start);
}

/** Records whether the words of the command have all values of a variable. */
function note(known: Set<string>, name: string | undefined, values: readonly string[]): void {
  if (name === undefined) return;
  if (values.length === 0 || values.some(hasVariable)) known.delete(name);
  else known.add(name);
}

/** One command of a shell line; a loop counts as one too: `for`, its variable and its words. */
interface ShellCommand {
  /** As they are written; assignments before the program among them. */
  readonly words: readonly string[];
  readonly inputs: readonly Redirection[];
  /** Whether its input is that of something around it, such as the output of another command. */
  readonly isPiped: boolean;
}

/**
 * The commands of a shell line, those within others and within substitutions too; null: it doesn't parse, or is too
 * long.
 */
function listCommands(line: string): readonly ShellCommand[] | null {
  const found: ShellCommand[] = [];
  const look = (node: SyntaxNode, isPiped: boolean): void => {
    if (('errors' in node && node.errors !== undefined) || ('script' in node && node.script === undefined))
      throw new SyntaxError('It is not read whole.');
    if (node.type === 'For' || node.type === 'Select')
      found.push({ words: ['for', node.name.text, ...textsOf(node.wordlist ?? [])], inputs: [], isPiped });
    if (node.type === 'Command') {
      const words = [...node.prefix, ...(node.name === undefined ? [] : [node.name]), ...node.args];
      found.push({ words: textsOf(words), inputs: inputsOf(node.redirects), isPiped });
    }
    const isFed = isPiped || (node.type === 'Redirected' && inputsOf(node.redirects).length > 0);
    forEachChild(node, (child) => look(child, isFed || (node.type === 'Pipeline' && child !== node.commands[0])));
  };
  // For each of many parts a parser looks for the end.
  if (line.length > longestLine) return null;
  try {
    look(parse(line), false);
    return found;
  } catch {
    return null;
  }
}

function textsOf(nodes: readonly SyntaxNode[]): readonly string[] {
  return nodes.flatMap((node) => (node.type === 'Word' || node.type === 'Assignment' ? [node.text] : []));
}

function inputsOf(redirects: readonly Redirection[]): readonly Redirection[] {
  return redirects.filter(({ operator }) => operator.startsWith('<'));
}

/** A word as its program reads it, but for variables. */
export function unquoteWord(word: string): string {
  return word.replace(/\\(.)|["']/gs, (_whole, escaped: string | undefined) => escaped ?? '');
}

/** Whether a word holds what is only known when it runs. */
function hasVariable(word: string): boolean {
  return /[$`]/.test(word.replace(/'[^']*'|\\./gs, ''));
}
