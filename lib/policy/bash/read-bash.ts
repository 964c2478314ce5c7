import type {
  Assignment,
  Command,
  CompoundList,
  HereDoc,
  ParsedScript,
  PipelineNode,
  Redirection as RawRedirection,
  Redirect,
  Statement,
} from 'unbash';
import { parse } from 'unbash';
import { type Objection, objection } from '../rules.ts';
import { readWord, readWords } from './read-word.ts';
import { Refusal } from './refusal.ts';
import type { BashNode, Redirection, SimpleCommand } from './syntax.ts';

const longest = 300_000;

/** Reads a command into what the policy can judge, or says why it can't be judged. Never throws on any text. */
export function readBash(text: string): BashNode | Objection {
  // What joins two pictures into one emoji hides nothing.
  const shown = text.replace(
    /(?<=\p{Extended_Pictographic}\uFE0F?)\u200D(?=\p{Extended_Pictographic})/gu,
    '+',
  );
  const odd = /[^\P{Cc}\n\t]|[\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]|(?! )\p{Zs}/u.exec(shown);
  if (odd !== null || text.length > longest) {
    const what = odd === null ? 'is too long' : `holds the character U+${hex(odd[0])} at ${odd.index + 1}`;
    return objection('bash-characters', `The command ${what}. Write it in plain, visible characters.`);
  }
  if (text.trim() === '') return objection('bash-syntax', 'The command is empty.');
  // Whether the last newline survives on the way to bash decides what the backslash means.
  if (/\\\s*$/.test(text)) return objection('bash-syntax', 'The command ends in a backslash. Finish it.');
  try {
    return readScript(parse(text));
  } catch (error) {
    if (error instanceof Refusal) return error.objection;
    return objection('bash-syntax', 'The command could not be parsed. Split it into simple commands.');
  }
}

function hex(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
}

function readScript(script: ParsedScript): BashNode {
  const error = script.errors?.[0];
  if (error !== undefined) {
    throw new Refusal(
      'bash-syntax',
      `The command does not parse: ${error.message}. Check its quotes and brackets.`,
    );
  }
  return readList(script.commands);
}

function readList(statements: readonly Statement[]): BashNode {
  if (statements.length === 0) throw new Refusal('bash-syntax', 'The command holds nothing to run.');
  return { kind: 'list', nodes: statements.map(readStatement) };
}

function readStatement(statement: Statement): BashNode {
  if (statement.background === true) {
    throw new Refusal(
      'bash-background',
      'Nothing runs in the background here. Run it in the foreground, without `&`.',
    );
  }
  const { command } = statement;
  if (command.type !== 'AndOr') return readPipeline(command);
  return { kind: 'and-or', nodes: command.commands.map(readPipeline), operators: command.operators };
}

function readPipeline(node: PipelineNode): BashNode {
  if (node.type !== 'Pipeline') return readCommand(node, []);
  const negations = node.prefixes.filter((prefix) => prefix.type === 'Negation').length;
  return {
    kind: 'pipeline',
    nodes: node.commands.map((command) => readCommand(command, [])),
    negated: negations % 2 === 1,
  };
}

function readCommand(
  node: Exclude<PipelineNode, { readonly type: 'Pipeline' }>,
  redirections: readonly Redirection[],
): BashNode {
  switch (node.type) {
    case 'Command':
      return readSimple(node);
    case 'Redirected':
      return readCommand(node.command, readRedirections(node.redirects));
    case 'Subshell':
      return { kind: 'subshell', body: readBody(node.body), redirections };
    case 'BraceGroup':
      return { kind: 'group', body: readBody(node.body), redirections };
    case 'If': {
      const elifs = node.elif.flatMap((part) => [readBody(part.clause), readBody(part.then)]);
      const last = node.else === undefined ? [] : [readBody(node.else)];
      return {
        kind: 'if',
        parts: [readBody(node.clause), readBody(node.then), ...elifs, ...last],
        redirections,
      };
    }
    default:
      throw new Refusal(
        'bash-construct',
        `A ${node.type} can't be judged. Use simple commands, joined by \`&&\`, \`||\`, \`;\` or pipes.`,
      );
  }
}

function readBody(list: CompoundList): BashNode {
  return readList(list.commands);
}

function readSimple(node: Command): SimpleCommand {
  const environment: SimpleCommand['environment'][number][] = [];
  const raw: RawRedirection[] = [];
  const words = node.name === undefined ? [] : [...readWords(node.name)];
  for (const part of node.prefix) {
    if (part.type === 'Assignment') environment.push(readAssignment(part));
    else raw.push(part);
  }
  for (const part of node.suffix) {
    if (part.type === 'Word') words.push(...readWords(part));
    else if (part.type === 'Assignment') {
      throw new Refusal(
        'bash-environment',
        `${part.text} changes the shell's variables. Write NAME=value before the command.`,
      );
    } else raw.push(part);
  }
  return { kind: 'command', environment, words, redirections: readRedirections(raw), input: readInput(raw) };
}

function readAssignment(part: Assignment): { readonly name: string; readonly value: string } {
  if (part.value.type !== 'Word' || part.index !== undefined || part.append === true) {
    throw new Refusal(
      'bash-environment',
      `${part.text} is not a plain assignment. Write NAME=value before the command.`,
    );
  }
  const value = readWord(part.value);
  // Names are not put in place of wildcards here: DEBUG=app:* is just that text.
  if (value.hasStatus)
    throw new Refusal(
      'bash-dynamic',
      `${part.text} holds more than plain text. Put the value in single quotes.`,
    );
  return { name: part.name, value: value.text };
}

function readRedirections(raw: readonly RawRedirection[]): readonly Redirection[] {
  return raw.flatMap((part) => {
    if (part.descriptor?.type === 'FileDescriptorVariable') {
      throw new Refusal(
        'bash-redirect',
        `{${part.descriptor.name}} opens a file under a variable. Redirect with > or <.`,
      );
    }
    if (part.type === 'HereDoc') checkHereDoc(part);
    if (part.type === 'HereString' && part.target !== undefined) readWord(part.target);
    return part.type === 'Redirect' ? readRedirect(part) : [];
  });
}

function readRedirect(part: Redirect): readonly Redirection[] {
  const target = part.target === undefined ? null : readWord(part.target);
  if (target === null || target.isGlob || target.hasStatus || target.text === '') {
    throw new Refusal('bash-redirect', 'A redirection needs one plain file name.');
  }
  const isDescriptor = /^(?:\d+-?|-)$/.test(target.text);
  if ((part.operator === '>&' || part.operator === '<&') && isDescriptor) return [];
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

function readInput(raw: readonly RawRedirection[]): string | null {
  const last = raw.filter((part) => part.type !== 'Redirect' || isStandardInput(part)).at(-1);
  if (last?.type === 'HereDoc' && last.descriptor === undefined) {
    return last.operator === '<<-' ? last.body.text.replace(/^\t+/gm, '') : last.body.text;
  }
  if (last?.type === 'HereString' && last.descriptor === undefined && last.target !== undefined) {
    return `${readWord(last.target).text}\n`;
  }
  return null;
}

function isStandardInput(part: Redirect): boolean {
  if (part.descriptor === undefined) return part.operator.startsWith('<');
  return part.descriptor.type === 'FileDescriptor' && part.descriptor.value === 0;
}
