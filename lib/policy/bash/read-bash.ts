import type {
  Assignment,
  Command,
  For,
  HereDoc,
  ParsedScript,
  PipelineNode,
  Function as RawFunction,
  Redirection as RawRedirection,
  Word as RawWord,
  Redirect,
  Statement,
  While,
} from 'unbash';
import { parse } from 'unbash';
import { type Objection, objection } from '../rules.ts';
import { isTooComplex } from './is-too-complex.ts';
import { readTest } from './read-test.ts';
import { readWord as readRawWord, readWords as readRawWords } from './read-word.ts';
import { Refusal } from './refusal.ts';
import {
  type BashNode,
  outputMark,
  type Redirection,
  ranIn,
  type Scope,
  type SimpleCommand,
  type Word,
} from './syntax.ts';
import { assignedIn, isFreeName } from './variables.ts';
import { openWork, tooComplex } from './work.ts';

/** Reads a command into what the policy can judge, or says why it can't be judged. Never throws on any text. */
export function readBash(text: string): BashNode | Objection {
  if (isTooComplex(text)) return tooComplex;
  // What joins two pictures into one emoji hides nothing.
  const shown = text.replace(
    /(?<=\p{Extended_Pictographic}\uFE0F?)\u200D(?=\p{Extended_Pictographic})/gu,
    '+',
  );
  const odd = /[^\P{Cc}\n\t]|[\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]|(?! )\p{Zs}/u.exec(shown);
  if (odd !== null) {
    const what = `holds the character U+${hex(odd[0])} at ${odd.index + 1}`;
    return objection('bash-characters', `The command ${what}. Write it in plain, visible characters.`);
  }
  if (text.trim() === '') return objection('bash-syntax', 'The command is empty.');
  // Whether the last newline survives on the way to bash decides what the backslash means.
  if (/\\\s*$/.test(text)) return objection('bash-syntax', 'The command ends in a backslash. Finish it.');
  try {
    const script = parse(text);
    checkEnd(script, text);
    return readScript(script, { values: new Map(), functions: new Map(), rounds: 1, work: openWork() });
  } catch (error) {
    if (error instanceof Refusal) return error.objection;
    return objection('bash-syntax', 'The command could not be parsed. Split it into simple commands.');
  }
}

/** The parser takes an open bracket at the very end for nothing; bash doesn't. */
function checkEnd(script: ParsedScript, text: string): void {
  const rest = text.slice(script.commands.at(-1)?.end ?? text.length);
  if (!text.includes('<<') && !/^[\s;]*(?:#[\s\S]*)?$/.test(rest))
    throw new Refusal('bash-syntax', `The command does not parse at its end: ${rest.trim()}.`);
}

function hex(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
}

function readScript(script: ParsedScript, scope: Scope): BashNode {
  const error = script.errors?.[0];
  if (error !== undefined) {
    throw new Refusal(
      'bash-syntax',
      `The command does not parse: ${error.message}. Check its quotes and brackets.`,
    );
  }
  return readList(script.commands, scope, true);
}

/** Of the list that is read: what it assigns is added as it goes. */
type OpenScope = Scope & {
  readonly values: Map<string, Word>;
  readonly functions: Map<string, RawFunction>;
  /** It runs whatever happens, so that a function of it is there afterwards. */
  readonly mayDefine: boolean;
};

/** The scope of a list is its own: what it assigns holds for what follows in it. */
function readList(statements: readonly Statement[], outer: Scope, mayDefine = false): BashNode {
  if (statements.length === 0) throw new Refusal('bash-syntax', 'The command holds nothing to run.');
  const scope: OpenScope = {
    ...outer,
    values: new Map(outer.values),
    functions: new Map(outer.functions),
    mayDefine,
  };
  return { kind: 'list', nodes: statements.flatMap((one) => readOne(one, scope)) };
}

/** What an inner part assigns is not known behind it, nor before it in a loop. */
function readOne(statement: Statement, scope: OpenScope): readonly BashNode[] {
  const { command } = statement;
  if (command.type === 'Function' && statement.background !== true && scope.mayDefine)
    return readFunction(command, scope);
  const values = statement.background === true ? null : readValues(command, scope);
  if (values !== null) return [values];
  const forget = (): void => {
    for (const name of assignedIn(command)) scope.values.delete(name);
  };
  const isChain =
    command.type === 'AndOr' && !command.operators.includes('||') && statement.background !== true;
  if (isChain) {
    const nodes = command.commands.map((one) => readValues(one, scope) ?? readForgetting(one, scope));
    // Only the first is sure to run.
    for (const name of assignedIn(command.commands.slice(1))) scope.values.delete(name);
    return [{ kind: 'and-or', nodes, operators: command.operators }];
  }
  forget();
  const node = readStatement(statement, scope);
  forget();
  return [node];
}

/** A function is judged where it is called, by its body. */
function readFunction(node: RawFunction, scope: OpenScope): readonly BashNode[] {
  const name = node.name.text;
  // No program has such a name: `time ls` would run a function called ls.
  if (
    !/^(?:[a-z]|[a-z]+(?:_[a-z0-9]+)+|run|check|show|main)$/.test(name) ||
    node.name.parts !== undefined ||
    assignedIn(node.body).size > 0
  )
    throw new Refusal('bash-construct', 'A function needs a plain name, and sets no variables here.');
  scope.functions.set(name, node);
  return [{ kind: 'given', nodes: [] }];
}

/** What a call runs, its arguments in place; null: no function of that name. */
function readCall(node: Command, scope: Scope, redirections: readonly Redirection[]): BashNode | null {
  const name = node.name?.parts === undefined ? node.name?.text : undefined;
  const called = name === undefined ? undefined : scope.functions.get(name);
  if (name === undefined || called === undefined) return null;
  const words = node.suffix.map((part) => (part.type === 'Word' ? readWord(part, scope) : null));
  if (
    node.prefix.length > 0 ||
    words.some((word) => word === null || word.isGlob || word.unknown !== null) ||
    called.body.type === 'CompoundList'
  )
    throw new Refusal('bash-construct', `Call ${name} with plain words, or run its commands themselves.`);
  const values = new Map([...scope.values].filter(([one]) => !/^\d$/.test(one)));
  for (const [at, word] of words.slice(0, 9).entries()) if (word !== null) values.set(`${at + 1}`, word);
  const functions = new Map([...scope.functions].filter(([one]) => one !== name));
  scope.work.spend(20);
  const body = readCommand(called.body, { ...scope, values, functions }, []);
  return { kind: 'group', body, redirections };
}

function readForgetting(node: PipelineNode, scope: OpenScope): BashNode {
  for (const name of assignedIn(node)) scope.values.delete(name);
  return readPipeline(node, scope);
}

/** `NAME=value` alone: what later words hold. */
function readValues(node: Statement['command'], scope: OpenScope): BashNode | null {
  if (node.type !== 'Command' || node.name !== undefined || node.suffix.length > 0) return null;
  const assignments = node.prefix.flatMap((part) => (part.type === 'Assignment' ? [part] : []));
  if (assignments.length === 0 || assignments.length < node.prefix.length) return null;
  const given = assignments.map((part) => readValue(part, scope));
  return { kind: 'given', nodes: given.flat() };
}

function readValue(part: Assignment, scope: OpenScope): readonly BashNode[] {
  if (
    part.value.type !== 'Word' ||
    part.index !== undefined ||
    part.append === true ||
    !isFreeName(part.name)
  )
    throw new Refusal(
      'bash-environment',
      `${part.name} is no variable a command may set for later ones. Write the value where it is used, or choose a plain name like n or FILE.`,
    );
  const word = readWord(part.value, scope);
  if (word.isGlob || (word.unknown !== null && word.unknown !== 'output'))
    throw new Refusal('bash-dynamic', `${part.text} holds more than plain text. Write the words out.`);
  const given = asGiven(word);
  scope.values.set(part.name, given);
  return ranIn(word);
}

function asGiven(word: Word): Word {
  const { isSplit: _, outputs, ...rest } = word;
  return {
    ...rest,
    isPlain: false,
    ...(outputs !== undefined && { outputs: outputs.map((one) => ({ ...one, isGiven: true })) }),
  };
}

function readWord(raw: RawWord, scope: Scope): Word {
  return withNodes(readRawWord(raw, scope), scope);
}

function readWords(raw: RawWord, scope: Scope): readonly Word[] {
  return readRawWords(raw, scope).map((word) => withNodes(word, scope));
}

function withNodes(word: Word, scope: Scope): Word {
  if (word.outputs === undefined) return word;
  const outputs = word.outputs.map((one) =>
    one.script === undefined ? one : { node: readScript(one.script, scope) },
  );
  return { ...word, outputs };
}

function readStatement(statement: Statement, scope: Scope): BashNode {
  if (statement.background === true) {
    throw new Refusal(
      'bash-background',
      'Nothing runs in the background here. Run it in the foreground, without `&`.',
    );
  }
  const { command } = statement;
  if (command.type !== 'AndOr') return readPipeline(command, scope);
  const nodes = command.commands.map((one) => readPipeline(one, scope));
  return { kind: 'and-or', nodes, operators: command.operators };
}

function readPipeline(node: PipelineNode, scope: Scope): BashNode {
  if (node.type !== 'Pipeline') return readCommand(node, scope, []);
  const negations = node.prefixes.filter((prefix) => prefix.type === 'Negation').length;
  return {
    kind: 'pipeline',
    nodes: node.commands.map((command) => readCommand(command, scope, [])),
    negated: negations % 2 === 1,
  };
}

function readCommand(
  node: Exclude<PipelineNode, { readonly type: 'Pipeline' }>,
  scope: Scope,
  redirections: readonly Redirection[],
): BashNode {
  switch (node.type) {
    case 'Command':
      return readCall(node, scope, redirections) ?? readSimple(node, scope);
    case 'Redirected':
      if (node.command.type === 'While') return readFed(node.command, node.redirects, scope);
      return readCommand(node.command, scope, readRedirections(node.redirects, scope));
    case 'Subshell':
      return { kind: 'subshell', body: readList(node.body.commands, scope), redirections };
    case 'BraceGroup':
      return { kind: 'group', body: readList(node.body.commands, scope), redirections };
    case 'If': {
      const lists = [node.clause, node.then, ...node.elif.flatMap((part) => [part.clause, part.then])];
      const all = node.else === undefined ? lists : [...lists, node.else];
      return { kind: 'if', parts: all.map(({ commands }) => readList(commands, scope)), redirections };
    }
    case 'TestCommand':
      if (redirections.length > 0) break;
      return readTest(node.expression, (word) => readWord(word, scope));
    case 'For':
      return { kind: 'for', ...readLoop(node, scope), redirections };
    case 'While':
      return readWhile(node, scope, { redirections, from: null });
    default:
  }
  throw new Refusal(
    'bash-construct',
    `A ${node.type} can't be judged. Use simple commands, joined by \`&&\`, \`||\`, \`;\` or pipes.`,
  );
}

/** A word that no command's output is part of. */
function readText(raw: RawWord, scope: Scope): Word {
  const word = readWord(raw, scope);
  if (word.unknown === 'output')
    throw new Refusal('bash-dynamic', 'The output of a command may only be shown with echo or printf.');
  return word;
}

const mostRounds = 200;
// Characters, all rounds together.
const mostLooped = 40_000;

/** A loop over words and wildcards. Its variable is a short, small name, so that no program knows it as a setting. */
function readLoop(node: For, scope: Scope): Pick<Extract<BashNode, { kind: 'for' }>, 'bodies' | 'given'> {
  const name = node.name.text;
  if (!/^[a-z]{1,10}\d?$/.test(name) || scope.values.has(name) || node.wordlist === undefined) {
    throw new Refusal(
      'bash-construct',
      'Write a loop as: for f in WORDS; do …; done, each with its own short name.',
    );
  }
  const words = node.wordlist.flatMap((word) => readWords(word, scope));
  const values = words.map(asGiven);
  const rounds = values.length * scope.rounds;
  const isLong = values.length * (node.body.end - node.body.pos) > mostLooped;
  if (values.some(({ unknown }) => unknown !== null && unknown !== 'output') || rounds > mostRounds || isLong)
    throw new Refusal('bash-construct', 'The loop has too many rounds, or words that only bash knows.');
  return {
    bodies: values.map((value) =>
      readList(node.body.commands, { ...scope, values: new Map([...scope.values, [name, value]]), rounds }),
    ),
    given: words.flatMap(ranIn),
  };
}

/** The lines a `while read` goes through come from a pipe, a file or a command in `< <(…)`. */
function readFed(node: While, redirects: readonly RawRedirection[], scope: Scope): BashNode {
  const feeds = redirects.flatMap((one) =>
    one.type === 'Redirect' && one.operator === '<' ? feedOf(one) : [],
  );
  const others = redirects.filter((one) => one.type !== 'Redirect' || feedOf(one).length === 0);
  const [script] = feeds;
  const from = script === undefined ? null : readScript(script, scope);
  return readWhile(node, scope, { redirections: readRedirections(others, scope), from });
}

function feedOf({ target }: Redirect): readonly ParsedScript[] {
  const [only, ...more] = target?.parts ?? [];
  return only?.type === 'ProcessSubstitution' &&
    only.operator === '<' &&
    more.length === 0 &&
    only.script !== undefined
    ? [only.script]
    : [];
}

function readWhile(
  node: While,
  scope: Scope,
  how: { readonly redirections: readonly Redirection[]; readonly from: BashNode | null },
): BashNode {
  const names = namesRead(node);
  if (names === null || names.some((name) => !isFreeName(name)))
    throw new Refusal(
      'bash-construct',
      'Of loops with while one form can be judged: while read -r f; do …; done.',
    );
  const lines: BashNode = { kind: 'list', nodes: [] };
  const value = (name: string): readonly [string, Word] => [
    name,
    {
      text: outputMark,
      isGlob: false,
      isPlain: false,
      unknown: 'output',
      outputs: [{ node: names.length > 1 ? { kind: 'list', nodes: [] } : lines, isGiven: true }],
    },
  ];
  const inside = new Map([...scope.values, ...names.map(value)]);
  for (const name of assignedIn(node.body)) inside.delete(name);
  return { kind: 'while', body: readList(node.body.commands, { ...scope, values: inside }), lines, ...how };
}

/** The variables of `while IFS= read -r f`; null: another loop. */
function namesRead({ kind, clause }: While): readonly string[] | null {
  const [statement, ...others] = clause.commands;
  const command = statement?.command;
  if (kind !== 'while' || others.length > 0 || statement?.background === true || command?.type !== 'Command')
    return null;
  const isPlain = command.prefix.every((part) => part.type === 'Assignment' && part.name === 'IFS');
  const words = command.suffix.map((part) =>
    part.type === 'Word' && part.parts === undefined ? part.text : '-',
  );
  const names = words.filter((word, at) => !(at === 0 && word === '-r'));
  return command.name?.text === 'read' && isPlain && names.length > 0 ? names : null;
}

function readSimple(node: Command, scope: Scope): SimpleCommand {
  const environment: SimpleCommand['environment'][number][] = [];
  const raw: RawRedirection[] = [];
  const words = node.name === undefined ? [] : [...readWords(node.name, scope)];
  for (const part of node.prefix) {
    if (part.type === 'Assignment') environment.push(readAssignment(part, scope));
    else raw.push(part);
  }
  for (const part of node.suffix) {
    if (part.type === 'Word') words.push(...readWords(part, scope));
    else if (part.type === 'Assignment' && node.name?.text === 'export') {
      environment.push(readAssignment(part, scope));
    } else if (part.type === 'Assignment') {
      throw new Refusal(
        'bash-environment',
        `${part.text} changes the shell's variables. Write NAME=value before the command.`,
      );
    } else raw.push(part);
  }
  scope.work.spend(1 + words.length + environment.length + raw.length);
  const input = readInput(raw, scope);
  const inner = words.flatMap(ranIn);
  return { kind: 'command', environment, words, redirections: readRedirections(raw, scope), input, inner };
}

function readAssignment(part: Assignment, scope: Scope): { readonly name: string; readonly value: string } {
  if (part.value.type !== 'Word' || part.index !== undefined || part.append === true) {
    throw new Refusal(
      'bash-environment',
      `${part.text} is not a plain assignment. Write NAME=value before the command.`,
    );
  }
  const value = readWord(part.value, scope);
  // Names are not put in place of wildcards here: DEBUG=app:* is just that text.
  if (value.unknown !== null)
    throw new Refusal(
      'bash-dynamic',
      `${part.text} holds more than plain text. Put the value in single quotes.`,
    );
  return { name: part.name, value: value.text };
}

function readRedirections(raw: readonly RawRedirection[], scope: Scope): readonly Redirection[] {
  return raw.flatMap((part) => {
    if (part.descriptor?.type === 'FileDescriptorVariable') {
      throw new Refusal(
        'bash-redirect',
        `{${part.descriptor.name}} opens a file under a variable. Redirect with > or <.`,
      );
    }
    if (part.type === 'HereDoc') checkHereDoc(part);
    if (part.type === 'HereString' && part.target !== undefined) readText(part.target, scope);
    return part.type === 'Redirect' ? readRedirect(part, scope) : [];
  });
}

function readRedirect(part: Redirect, scope: Scope): readonly Redirection[] {
  const target = part.target === undefined ? null : readWord(part.target, scope);
  if (target === null || target.isGlob || target.unknown !== null || target.text === '') {
    throw new Refusal('bash-redirect', 'A redirection needs one plain file name.');
  }
  const isDescriptor = target.isPlain && /^(?:\d+-?|-)$/.test(target.text);
  if ((part.operator === '>&' || part.operator === '<&') && isDescriptor) return [];
  // `>&1'$(id)'` bash expands a second time, and of `>&-x` it takes the `x` for a word of its own.
  if (part.operator === '>&' && !(target.isPlain && /^[A-Za-z_./][\w./-]*$/.test(target.text)))
    throw new Refusal('bash-redirect', `>&${target.text} can't be judged. Write > FILE 2>&1.`);
  if (part.operator === '<&') throw new Refusal('bash-redirect', `<&${target.text} is not a descriptor.`);
  return [{ access: part.operator === '<' ? 'read' : 'write', target: target.text }];
}

/** An unquoted here-document is text only when nothing in it expands. */
function checkHereDoc(part: HereDoc): void {
  const mark = part.delimiter;
  const isPlain =
    mark !== undefined && part.closing !== undefined && /^(?:\w+|'[\w.-]+'|"[\w.-]+"|\\\w+)$/.test(mark.text);
  if (!isPlain)
    throw new Refusal('bash-syntax', "A here-document needs a plain, closed end mark like 'EOF'.");
  const expands =
    !mark.quoted && (/[$`\\]/.test(part.body.text) || part.body.parts?.some((one) => one.type !== 'Literal'));
  if (expands === true) {
    throw new Refusal(
      'bash-dynamic',
      `Quote the end mark of the here-document (<<'${mark.value}'), so that its text is not expanded.`,
    );
  }
}

function readInput(raw: readonly RawRedirection[], scope: Scope): string | null {
  const last = raw.filter((part) => part.type !== 'Redirect' || isStandardInput(part)).at(-1);
  if (last?.type === 'HereDoc' && last.descriptor === undefined) {
    return last.operator === '<<-' ? last.body.text.replace(/^\t+/gm, '') : last.body.text;
  }
  if (last?.type === 'HereString' && last.descriptor === undefined && last.target !== undefined) {
    return `${readText(last.target, scope).text}\n`;
  }
  return null;
}

function isStandardInput(part: Redirect): boolean {
  if (part.descriptor === undefined) return part.operator.startsWith('<');
  return part.descriptor.type === 'FileDescriptor' && part.descriptor.value === 0;
}
