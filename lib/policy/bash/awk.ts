import { type Objection, objection } from '../rules.ts';
import { scanOptions } from './options.ts';
import { judgeAll, judgeScanned, type ProgramCall } from './program.ts';

/** Judges awk by the tokens of its program: it may compute and print, not run commands or open files. */
export function judgeAwk(call: ProgramCall): Objection | null {
  const args = call.args.slice(call.trusted);
  // Behind its program awk knows no options: whatever stands there it opens.
  const end = programAt(args);
  const scanned = scanOptions('-F: -v:', args.slice(0, end));
  const [program = '', ...files] = args.slice(end);
  const tokens = readAwk(program);
  if (tokens === null || tokens.some(isReaching) || redirects(tokens)) {
    return objection(
      'bash-option',
      'This awk program could run commands or write files, or is hard to read. Print fields of the input only.',
    );
  }
  return (
    judgeScanned(call, scanned) ??
    judgeAll(
      call.context,
      files.filter((path) => !/^(?:-|\w+=.*)$/.test(path)).map((path) => ({ path, access: 'read' as const })),
    )
  );
}

function programAt(args: readonly string[]): number {
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at] ?? '';
    if (arg === '--') return at + 1;
    if (/^-[Fv]$/.test(arg)) at += 1;
    else if (!arg.startsWith('-') || arg === '-') return at;
  }
  return args.length;
}

interface Token {
  readonly kind: 'word' | 'number' | 'text' | 'regex' | 'sign' | 'line';
  readonly text: string;
}

const space = /(?:[ \t]|\\\n|#[^\n]*)+/y;
const shapes: readonly (readonly [Token['kind'], RegExp])[] = [
  ['line', /\n/y],
  ['text', /"(?:[^"\\\n]|\\[\s\S])*"/y],
  ['word', /[A-Za-z_]\w*/y],
  ['number', /(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?/y],
  ['sign', /\|\||&&|>>|>=|\|&|\+\+|--|[^\\"\s]/y],
];
// A slash within brackets ends the expression in some awks and not in others: such a one isn't read.
const regex = /\/(?:[^/\\\n[]|\\[^\n]|\[\^?\]?(?:\[:[a-z]+:\]|[^[\]/\\\n]|\\[^\n/])*\])*\//y;

/** null: there is more than one way to read it. */
function readAwk(program: string): readonly Token[] | null {
  const tokens: Token[] = [];
  let at = 0;
  const take = (pattern: RegExp): string | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(program)?.[0] ?? null;
    at += found?.length ?? 0;
    return found;
  };
  for (take(space); at < program.length; take(space)) {
    if (program[at] === '/') {
      const role = roleOfSlash(tokens.at(-1), program.slice(at));
      const found = role === 'regex' ? take(regex) : null;
      if (role === null || (role === 'regex' && found === null)) return null;
      if (found === null) at += 1;
      tokens.push(found === null ? { kind: 'sign', text: '/' } : { kind: 'regex', text: found });
      continue;
    }
    const start = at;
    for (const [kind, pattern] of shapes) {
      const text = take(pattern);
      if (text === null) continue;
      tokens.push({ kind, text });
      break;
    }
    if (at === start) return null;
  }
  return tokens;
}

const beforeRegex = new Set(['print', 'printf', 'return', 'in', 'case', 'do', 'else', 'exit', 'delete']);

/** A division, or the start of a regular expression; null where only the grammar could decide. */
function roleOfSlash(before: Token | undefined, rest: string): 'regex' | 'division' | null {
  if (before === undefined || before.kind === 'line') return 'regex';
  if (before.kind === 'regex') return null;
  const isUnsure =
    before.text === 'length' || (before.kind === 'sign' && [')', ']', '$', '++', '--'].includes(before.text));
  // Without quotes and comments in the line both readings give the same words.
  if (isUnsure) return /["#]/.test(rest.split('\n')[0] ?? '') ? null : 'division';
  if (before.kind === 'word') return beforeRegex.has(before.text) ? 'regex' : 'division';
  return before.kind === 'sign' ? 'regex' : 'division';
}

const reaching = new Set('system getline close ENVIRON ARGV ARGC SYMTAB FUNCTAB'.split(' '));

function isReaching({ kind, text }: Token): boolean {
  return kind === 'word' ? reaching.has(text) : kind === 'sign' && ['|', '|&', '@'].includes(text);
}

/** Whether a `>` sends what is printed to a file; in brackets, and where nothing is printed, it compares. */
function redirects(tokens: readonly Token[]): boolean {
  let depth = 0;
  let isPrinting = false;
  for (const [at, { kind, text }] of tokens.entries()) {
    if (kind === 'word' && /^printf?$/.test(text)) isPrinting = true;
    if (kind !== 'sign') continue;
    if (text === '(') depth += 1;
    if (text === ')') depth -= 1;
    if (depth < 0) return true;
    if (/^[;{}]$/.test(text) && depth === 0) isPrinting = false;
    const isOutput = (text === '>' || text === '>>') && depth === 0 && isPrinting;
    if (isOutput && !isStream(tokens[at + 1], tokens[at + 2])) return true;
  }
  return depth !== 0;
}

function isStream(target: Token | undefined, after: Token | undefined): boolean {
  const isEnd = after === undefined || after.kind === 'line' || /^[;}]$/.test(after.text);
  return target?.kind === 'text' && /^"\/dev\/(?:stdout|stderr|null)"$/.test(target.text) && isEnd;
}
