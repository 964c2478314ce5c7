import type { ArithmeticExpression, CompoundCommand, Function as Definition, TestExpression, Word } from 'unbash';
import type { AgentPolicy, PathFacts } from '../../domain/agent-policy.ts';
import { judgePath, type PathContext, resolvePathInContext } from '../judge-path.ts';
import { isProgramNameTaken } from './allowed-words.ts';
import { expandWord } from './expand-word.ts';
import { isCertainlyNumber, listVariablesSetByArithmetic, requireSafeArithmetic } from './inner-scripts.ts';
import { findPossibleOutputs } from './possible-outputs.ts';
import { readWord, readWords } from './read-shell-words.ts';
import {
  CommandRefusal,
  type Redirection,
  type ShellCommand,
  type ShellWord,
  unknownTextMarks,
} from './shell-command-types.ts';

/** Receives all that a script may run, in each folder it may be in. Throws a Refusal at the first objection. */
export interface ScriptVisitor {
  command(command: ShellCommand, place: PossibleFolder): void;
  redirections(redirections: readonly Redirection[], place: PossibleFolder): void;
  /** Files that `[[ … ]]` asks for. */
  files(words: readonly ShellWord[], place: PossibleFolder): void;
}

/** A folder a command may be in; `isLost`: it could as well be any other. */
export interface PossibleFolder {
  readonly cwd: string;
  readonly isLost: boolean;
}

/** Where one shell is: `cd` in a subshell leaves the outer one where it was. */
export interface ShellPosition {
  places: readonly string[];
  isLost: boolean;
  /** The standard input of its commands. */
  readonly piped: readonly string[];
}

export type FunctionBody = CompoundCommand | Extract<Definition['body'], { readonly type: 'Redirected' }>;

export interface ScriptWalk {
  readonly policy: AgentPolicy;
  readonly facts: PathFacts;
  /** null: what its variables may hold is collected, and nothing is judged. */
  readonly visitor: ScriptVisitor | null;
  readonly values: Map<string, Set<string>>;
  readonly functions: Map<string, readonly FunctionBody[]>;
  /** Where it has been. */
  readonly visited: Set<string>;
  readonly work: { left: number };
  readonly depth: number;
}

const mostPlaces = 8;
const mostValues = 200;

/** Adds to what a variable may hold. */
export function addVariableValues(walk: ScriptWalk, name: string, texts: readonly string[]): void {
  const known = walk.values.get(name) ?? new Set<string>();
  for (const one of texts) known.add(one);
  walk.values.set(name, known.size > mostValues ? new Set([unknownTextMarks.any]) : known);
}

/** The folders its commands may be in. */
export function listPossibleFolders({ places, isLost }: ShellPosition): readonly PossibleFolder[] {
  return places.map((cwd) => ({ cwd, isLost }));
}

export function setPossibleFolders(shell: ShellPosition, places: readonly string[]): void {
  shell.places = [...new Set(places)];
  if (shell.places.length > mostPlaces)
    throw new CommandRefusal('bash-directory', 'Too many changes of folder. Use one `cd` at the start.');
}

const positions = ['1', '2', '3', '4', '5', '6', '7', '8', '9'];

/** Takes in what a simple command sets for those behind it. */
export function recordVariablesSetByCommand(walk: ScriptWalk, { words, environment }: ShellCommand): void {
  for (const one of environment) addVariableValues(walk, one.name, one.value.values);
  const [name, ...args] = words;
  const called = name?.values[0] ?? '';
  if (/^(?:read|mapfile|readarray)$/.test(called))
    for (const arg of args)
      for (const one of arg.values) if (!one.startsWith('-')) addVariableValues(walk, one, [unknownTextMarks.any]);
  if (called === 'shift') for (const at of positions) addVariableValues(walk, at, [unknownTextMarks.any]);
}

/** Takes in what a function is called with. */
export function recordFunctionArguments(walk: ScriptWalk, args: readonly ShellWord[]): void {
  const isPlain = args.every((arg) => !arg.isGlob && !arg.isSplit);
  for (const [at, position] of positions.entries()) {
    const arg = args[at];
    if (!isPlain) addVariableValues(walk, position, [unknownTextMarks.any]);
    else if (arg !== undefined) addVariableValues(walk, position, arg.values);
  }
}

/** Takes in a function. Throws a Refusal where its name is that of a program. */
export function recordFunctionDefinition(walk: ScriptWalk, { name, body }: Definition): void {
  if (body.type === 'CompoundList') throw unsupportedConstructRefusal(body.type);
  // `ls` would no longer be ls.
  if (!/^[A-Za-z_]\w*$/.test(name.text) || name.parts !== undefined || isProgramNameTaken(walk.policy, name.text))
    throw new CommandRefusal(
      'bash-construct',
      `A function needs a plain name of its own, and ${name.text} is a program.`,
    );
  walk.functions.set(name.text, [...(walk.functions.get(name.text) ?? []), body]);
}

/** Takes in what an expression counts. Throws a Refusal where bash could run what it computes with. */
export function recordArithmetic(walk: ScriptWalk, expression: ArithmeticExpression | undefined): void {
  for (const name of listVariablesSetByArithmetic(expression)) addVariableValues(walk, name, [unknownTextMarks.number]);
  if (walk.visitor === null) return;
  const read = (word: Word): readonly ShellWord[] => readWords(word, walk.values);
  requireSafeArithmetic(expression, walk.values, (script) => findPossibleOutputs(script, read));
}

export function unsupportedConstructRefusal(type: string): CommandRefusal {
  return new CommandRefusal(
    'bash-construct',
    `A ${type} can't be judged. Use simple commands, joined by \`&&\`, \`||\`, \`;\` or pipes.`,
  );
}

/** Goes through `[[ … ]]`: reports the files it asks for, and requires numbers in its sums. Throws a Refusal. */
export function walkTest(walk: ScriptWalk, shell: ShellPosition, test: TestExpression): void {
  switch (test.type) {
    case 'TestLogical':
      for (const one of test.operands) walkTest(walk, shell, one);
      return;
    case 'TestNot':
      walkTest(walk, shell, test.operand);
      return;
    case 'TestGroup':
      walkTest(walk, shell, test.expression);
      return;
    case 'TestUnary': {
      const word = readWord(test.operand, walk.values);
      if (/^-[vR]$/.test(test.operator)) throw indexed();
      if (/^-[nzto]$/.test(test.operator)) return;
      for (const place of listPossibleFolders(shell)) walk.visitor?.files([word], place);
      return;
    }
    default: {
      const words = [test.left, test.right].map((one) => readWord(one, walk.values));
      const isComputed = /^-(?:eq|ne|lt|le|gt|ge)$/.test(test.operator);
      if (isComputed && walk.visitor !== null && !words.every(({ values }) => values.every(isCertainlyNumber)))
        throw indexed();
    }
  }
}

function indexed(): CommandRefusal {
  return new CommandRefusal(
    'bash-construct',
    'Bash runs code in an index there. Test files by name, or compare with [ … -gt … ].',
  );
}

/** `cd` goes to folders of the worktree; one that is not there yet leaves bash perhaps where it was. */
export function applyCdCommand(walk: ScriptWalk, shell: ShellPosition, name: string, args: readonly ShellWord[]): void {
  const [folder, ...others] = args.filter(({ values }) => values[0] !== '--');
  const before = shell.places;
  for (const place of before) walk.visited.add(place);
  const isBack = name === 'popd' ? folder === undefined : folder?.values[0] === '-';
  if (isBack && walk.visited.size > 1) {
    setPossibleFolders(shell, [...walk.visited]);
    return;
  }
  if (folder === undefined || others.length > 0 || folder.isGlob || folder.values.some((one) => /^-|^$/.test(one)))
    throw new CommandRefusal('bash-directory', 'Write `cd FOLDER && …` with one folder of the worktree.');
  const context = { policy: walk.policy, facts: walk.facts };
  const reached = before.flatMap((cwd) =>
    expandWord({ ...context, cwd }, folder).flatMap((path) => {
      if (/^[\u0001\u0002]/.test(path)) {
        shell.isLost = true;
        return [cwd];
      }
      const target = folderOf({ ...context, cwd }, unknownTextMarks.filled(path));
      return walk.facts.lstat(target)?.kind === 'directory' || target.startsWith('/tmp') ? [target] : [cwd, target];
    }),
  );
  setPossibleFolders(shell, reached);
}

/** A folder reached by a symlink has two parents, so it is refused. */
function folderOf(context: PathContext, path: string): string {
  const { policy } = context;
  const found = resolvePathInContext(context, path, 'read');
  const refused = 'rule' in found ? found : judgePath(context, path, 'read');
  if ('rule' in found || refused !== null)
    throw new CommandRefusal('bash-directory', refused?.details ?? `${path} is out of bounds.`);
  if (found.lexical !== found.resolved)
    throw new CommandRefusal(
      'bash-directory',
      `${path} is a symlink, where \`..\` is ambiguous. Go to ${found.resolved || '.'} instead.`,
    );
  if (found.kind === 'extra') return found.resolved;
  return found.resolved === '' ? policy.worktree : `${policy.worktree}/${found.resolved}`;
}
