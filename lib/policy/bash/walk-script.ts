import type {
  ArithmeticExpression,
  Command,
  CompoundCommand,
  CompoundList,
  ParsedScript,
  PipelineNode,
  Statement,
  SyntaxNode,
} from 'unbash';
import { isHarmlessVariable } from './builtins.ts';
import { expandWord } from './expand-word.ts';
import { findInnerScripts } from './inner-scripts.ts';
import { requireParsedWhole, tooComplexRefusal } from './parse-script.ts';
import { findPossiblePipeOutputs } from './possible-outputs.ts';
import { readCommand, readRedirections } from './read-command.ts';
import { readWord, readWords } from './read-shell-words.ts';
import {
  addVariableValues,
  applyCdCommand,
  type FunctionBody,
  listPossibleFolders,
  recordArithmetic,
  recordFunctionArguments,
  recordFunctionDefinition,
  recordVariablesSetByCommand,
  type ScriptVisitor,
  type ScriptWalk,
  type ShellPosition,
  setPossibleFolders,
  unsupportedConstructRefusal,
  walkTest,
} from './script-walk-state.ts';
import { CommandRefusal, type ShellWord, unknownTextMarks } from './shell-command-types.ts';

// One is a word in each folder it may be met in.
const mostWork = 4_000;

/**
 * Goes through a script in the order bash would, into every branch, loop, function and substitution. It does so twice: what a
 * variable may hold anywhere is known before a word is judged. Throws a Refusal.
 */
export function walkScript(
  script: ParsedScript,
  start: Pick<ScriptWalk, 'policy' | 'facts'> & { readonly cwd: string; readonly visitor: ScriptVisitor },
): void {
  const { policy, facts, cwd, visitor } = start;
  const values = new Map<string, Set<string>>();
  for (const one of [null, visitor]) {
    const walk: ScriptWalk = {
      policy,
      facts,
      visitor: one,
      values,
      functions: new Map(),
      visited: new Set<string>(),
      work: { left: mostWork },
      depth: 0,
    };
    walkList(walk, { places: [cwd], isLost: false, piped: [unknownTextMarks.any] }, script.commands);
  }
}

function walkList(walk: ScriptWalk, shell: ShellPosition, statements: readonly Statement[]): void {
  for (const { command, background } of statements) {
    if (background === true)
      throw new CommandRefusal(
        'bash-background',
        'Nothing runs in the background here. Run it in the foreground, without `&`.',
      );
    const parts = command.type === 'AndOr' ? command.commands : [command];
    for (const part of parts) walkPart(walk, shell, part);
  }
}

function walkPart(walk: ScriptWalk, shell: ShellPosition, node: PipelineNode): void {
  if (node.type !== 'Pipeline') {
    walkCommand(walk, shell, node);
    return;
  }
  for (const [at, part] of node.commands.entries()) {
    const before = node.commands.slice(0, at);
    const piped =
      before.length === 0 ? shell.piped : findPossiblePipeOutputs(before, (word) => readWords(word, walk.values));
    // Each part of several runs in a process of its own.
    walkCommand(walk, node.commands.length > 1 ? { ...shell, piped } : shell, part);
  }
}

function walkInner(walk: ScriptWalk, shell: ShellPosition, nodes: readonly SyntaxNode[]): void {
  const { scripts, expressions } = findInnerScripts(nodes);
  for (const script of scripts) {
    requireParsedWhole(script);
    walkList(walk, { ...shell }, script.commands);
  }
  for (const one of expressions) recordArithmetic(walk, one);
}

function walkArithmetic(walk: ScriptWalk, shell: ShellPosition, expression: ArithmeticExpression | undefined): void {
  walkInner(walk, shell, expression === undefined ? [] : [expression]);
  recordArithmetic(walk, expression);
}

function walkCommand(
  walk: ScriptWalk,
  shell: ShellPosition,
  node: Exclude<PipelineNode, { readonly type: 'Pipeline' }>,
): void {
  switch (node.type) {
    case 'Command':
      walkSimple(walk, shell, node);
      return;
    case 'Function':
      recordFunctionDefinition(walk, node);
      return;
    case 'Redirected': {
      walkInner(walk, shell, node.redirects);
      const redirections = readRedirections(node.redirects, walk.values);
      for (const place of listPossibleFolders(shell)) walk.visitor?.redirections(redirections, place);
      walkCommand(walk, shell, node.command);
      return;
    }
    case 'Coproc':
      throw unsupportedConstructRefusal(node.type);
    default:
      walkCompound(walk, shell, node);
      return;
  }
}

function walkCompound(walk: ScriptWalk, shell: ShellPosition, node: CompoundCommand): void {
  switch (node.type) {
    case 'Subshell':
      walkList(walk, { ...shell }, node.body.commands);
      return;
    case 'BraceGroup':
      walkList(walk, shell, node.body.commands);
      return;
    case 'If': {
      walkList(walk, shell, node.clause.commands);
      const others = node.elif.flatMap((part) => [part.clause, part.then]);
      walkBranches(walk, shell, [node.then, ...others, ...(node.else === undefined ? [] : [node.else])]);
      return;
    }
    case 'Case': {
      const words = [node.word, ...node.items.flatMap(({ pattern }) => pattern)];
      walkInner(walk, shell, words);
      for (const word of words) readWord(word, walk.values);
      walkBranches(
        walk,
        shell,
        node.items.map(({ body }) => body),
      );
      return;
    }
    case 'For': {
      const { text } = node.name;
      if (!isHarmlessVariable(text) || node.wordlist === undefined)
        throw new CommandRefusal('bash-construct', 'Write a loop as: for f in WORDS; do …; done, with a short name.');
      walkInner(walk, shell, node.wordlist);
      for (const word of node.wordlist.flatMap((one) => readWords(one, walk.values)))
        for (const { cwd } of listPossibleFolders(shell))
          addVariableValues(walk, text, expandWord({ policy: walk.policy, facts: walk.facts, cwd }, word, true));
      walkLoop(walk, shell, [node.body]);
      return;
    }
    case 'While':
      walkLoop(walk, shell, [node.clause, node.body]);
      return;
    case 'ArithmeticFor':
      for (const one of [node.initialize, node.test, node.update])
        if (one !== undefined) walkArithmetic(walk, shell, one);
      walkLoop(walk, shell, [node.body]);
      return;
    case 'ArithmeticCommand':
      walkArithmetic(walk, shell, node.expression);
      return;
    case 'TestCommand':
      walkInner(walk, shell, [node.expression]);
      walkTest(walk, shell, node.expression);
      return;
    default:
      throw unsupportedConstructRefusal(node.type);
  }
}

/** Which of them runs is not known. */
function walkBranches(walk: ScriptWalk, shell: ShellPosition, lists: readonly CompoundList[]): void {
  const before = shell.places;
  const after = lists.flatMap(({ commands }) => {
    const branch = { ...shell, places: before };
    walkList(walk, branch, commands);
    shell.isLost ||= branch.isLost;
    return branch.places;
  });
  setPossibleFolders(shell, [...before, ...after]);
}

/** It may run once more from where it has come to. */
function walkLoop(walk: ScriptWalk, shell: ShellPosition, lists: readonly CompoundList[]): void {
  for (let round = 0; round < 3; round += 1) {
    const before = shell.places;
    for (const { commands } of lists) walkList(walk, shell, commands);
    const reached = shell.places;
    setPossibleFolders(shell, [...before, ...reached]);
    if (reached.every((place) => before.includes(place))) return;
  }
  throw new CommandRefusal('bash-directory', 'Change the folder inside a loop in brackets: (cd FOLDER && …).');
}

function walkSimple(walk: ScriptWalk, shell: ShellPosition, node: Command): void {
  walkInner(walk, shell, [node]);
  const command = readCommand(node, walk.values, shell.piped);
  const cost = command.words.reduce((sum, word) => sum + (word.isGlob ? 10 : 1), 1);
  walk.work.left -= cost * shell.places.length;
  if (walk.work.left < 0) throw tooComplexRefusal();
  const [name, ...args] = command.words;
  const bodies = walk.functions.get(node.name?.parts === undefined ? (node.name?.text ?? '') : '');
  if (bodies !== undefined) {
    if (command.environment.length > 0)
      throw new CommandRefusal('bash-construct', 'Call a function without variables before it.');
    for (const place of listPossibleFolders(shell)) walk.visitor?.redirections(command.redirections, place);
    call(walk, shell, { bodies, args });
    return;
  }
  for (const place of listPossibleFolders(shell)) walk.visitor?.command(command, place);
  const called = name?.values[0] ?? '';
  recordVariablesSetByCommand(walk, command);
  if (/^(?:cd|pushd|popd)$/.test(called)) applyCdCommand(walk, shell, called, args);
}

function call(
  walk: ScriptWalk,
  shell: ShellPosition,
  { bodies, args }: { readonly bodies: readonly FunctionBody[]; readonly args: readonly ShellWord[] },
): void {
  if (walk.depth > 3) return;
  recordFunctionArguments(walk, args);
  for (const body of bodies) walkCommand({ ...walk, depth: walk.depth + 1 }, shell, body);
}
