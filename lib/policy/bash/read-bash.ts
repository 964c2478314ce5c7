import type {
  Assignment,
  Command,
  For,
  HereDoc,
  ParsedScript,
  PipelineNode,
  Redirection as RawRedirection,
  Word as RawWord,
  Redirect,
  Statement,
} from 'unbash';
import { parse } from 'unbash';
import { type Objection, objection } from '../rules.ts';
import { isTooComplex } from './is-too-complex.ts';
import { readTest } from './read-test.ts';
import { readWord, readWords } from './read-word.ts';
import { Refusal } from './refusal.ts';
import type { BashNode, Redirection, Scope, SimpleCommand, Word } from './syntax.ts';
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
    return readScript(script, { values: new Map(), rounds: 1, work: openWork() });
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
  return readList(script.commands, scope);
}

function readList(statements: readonly Statement[], scope: Scope): BashNode {
  if (statements.length === 0) throw new Refusal('bash-syntax', 'The command holds nothing to run.');
  return { kind: 'list', nodes: statements.map((one) => readStatement(one, scope)) };
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
      return readSimple(node, scope);
    case 'Redirected':
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
      return readTest(
        node.expression,
        (word) => readWord(word, scope),
        (script) => readScript(script, scope),
      );
    case 'For':
      return { kind: 'for', bodies: readLoop(node, scope), redirections };
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
function readLoop(node: For, scope: Scope): readonly BashNode[] {
  const name = node.name.text;
  if (!/^[a-z]{1,10}\d?$/.test(name) || scope.values.has(name) || node.wordlist === undefined) {
    throw new Refusal(
      'bash-construct',
      'Write a loop as: for f in WORDS; do …; done, each with its own short name.',
    );
  }
  const values = node.wordlist.flatMap((word) => readWords(word, scope));
  const rounds = values.length * scope.rounds;
  const isLong = values.length * (node.body.end - node.body.pos) > mostLooped;
  if (values.some(({ unknown }) => unknown !== null) || rounds > mostRounds || isLong)
    throw new Refusal('bash-construct', 'The loop has too many rounds, or words that only bash knows.');
  return values.map((value) =>
    readList(node.body.commands, { ...scope, values: new Map([...scope.values, [name, value]]), rounds }),
  );
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
  const inner = words.flatMap(({ scripts }) => scripts ?? []).map((one) => readScript(one, scope));
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
