import type { Case, ParsedScript, PipelineNode, Function as RawFunction, Statement } from 'unbash';
import { parse } from 'unbash';
import { type Objection, objection } from '../rules.ts';
import { readArithmetic } from './arithmetic.ts';
import { isTooComplex } from './is-too-complex.ts';
import { readCounting, readFed, readLoop, readWhile } from './read-loops.ts';
import { readRedirections } from './read-redirections.ts';
import { readSimple } from './read-simple.ts';
import { readTest } from './read-test.ts';
import { type OpenScope, readCall, readFunction, readValues } from './read-values.ts';
import { readWord } from './read-word.ts';
import { Refusal } from './refusal.ts';
import { type BashNode, type Redirection, ranIn, type Scope, type SimpleCommand } from './syntax.ts';
import { assignedIn, numbersIn } from './variables.ts';
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
    return readScript(script, {
      values: new Map(),
      functions: new Map(),
      numbers: numbersIn(script.commands),
      readScript,
      rounds: 1,
      work: openWork(),
    });
  } catch (error) {
    if (error instanceof Refusal) return error.objection;
    return objection('bash-syntax', 'The command could not be parsed. Split it into simple commands.');
  }
}

/** The parser ignores an open bracket at the very end; bash doesn't. */
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

function readForgetting(node: PipelineNode, scope: OpenScope): BashNode {
  for (const name of assignedIn(node)) scope.values.delete(name);
  return readPipeline(node, scope);
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

/** `bash -c 'LINE'` is the line in a shell of its own, which knows none of the variables around it. */
function readGiven(command: SimpleCommand, scope: Scope): BashNode {
  const [name, option, line, ...others] = command.words;
  const isShell = name?.isPlain === true && /^(?:bash|sh)$/.test(name.text);
  const isLine = option?.isPlain === true && /^-[elu]*c$/.test(option.text);
  if (!isShell || !isLine || line === undefined || others.length > 0) return command;
  const isText = line.unknown === null && line.fed === undefined && !line.isGlob;
  const isBare = command.environment.length === 0 && command.input === null && command.inner.length === 0;
  // What dash reads in another way.
  if (!isText || !isBare || (name.text === 'sh' && /&>|\$'|<<<|[<>]\(/.test(line.text))) return command;
  if (isTooComplex(line.text)) return command;
  const script = parse(line.text);
  checkEnd(script, line.text);
  const inner = { ...scope, values: new Map(), functions: new Map(), numbers: numbersIn(script.commands) };
  return { kind: 'subshell', body: readScript(script, inner), redirections: command.redirections };
}

function readCommand(
  node: Exclude<PipelineNode, { readonly type: 'Pipeline' }>,
  scope: Scope,
  redirections: readonly Redirection[],
): BashNode {
  switch (node.type) {
    case 'Command':
      return readCall(node, scope, readBody) ?? readGiven(readSimple(node, scope), scope);
    case 'Redirected':
      if (node.command.type === 'While') return readFed(node.command, node.redirects, scope, readList);
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
      return { kind: 'for', ...readLoop(node, scope, readList), redirections };
    case 'ArithmeticFor':
      return { kind: 'for', ...readCounting(node, scope, readList), redirections };
    case 'While':
      return readWhile(node, scope, { redirections, from: null, readList });
    case 'Case':
      return readCase(node, scope, redirections);
    case 'ArithmeticCommand':
      if (redirections.length > 0) break;
      return readArithmetic(node.expression, scope);
    default:
  }
  throw new Refusal(
    'bash-construct',
    `A ${node.type} can't be judged. Use simple commands, joined by \`&&\`, \`||\`, \`;\` or pipes.`,
  );
}

function readBody(body: RawFunction['body'], scope: Scope): BashNode {
  if (body.type === 'CompoundList') throw new Refusal('bash-construct', 'A function needs a body in { }.');
  return readCommand(body, scope, []);
}

/** Which of its parts runs is not known: each is judged. */
function readCase(node: Case, scope: Scope, redirections: readonly Redirection[]): BashNode {
  const asked = readWord(node.word, scope);
  const patterns = node.items.flatMap(({ pattern }) => pattern);
  if (patterns.some(({ parts }) => parts?.some(({ type }) => !/^(?:Literal|Glob|SingleQuoted)$/.test(type))))
    throw new Refusal('bash-construct', 'The patterns of a case are plain words and wildcards here.');
  const bodies = node.items.flatMap(({ body }) => (body.commands.length === 0 ? [] : [body.commands]));
  const parts = bodies.map((commands) => readList(commands, scope));
  const given: BashNode = { kind: 'given', nodes: ranIn(asked) };
  return { kind: 'list', nodes: [given, { kind: 'if', parts, redirections }] };
}
