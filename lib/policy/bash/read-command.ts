import type { Assignment, Command, HereDoc, Redirection as RawRedirection, Redirect } from 'unbash';
import { readQuoted, readWord, readWords } from './read-shell-words.ts';
import { CommandRefusal, type Redirection, type ShellCommand, type VariableValues } from './shell-command-types.ts';

/** Reads one program with its words, redirections and input. Throws a Refusal. */
export function readCommand(node: Command, values: VariableValues, piped: readonly string[]): ShellCommand {
  refuseJoined(node);
  const raw = [...node.prefix, ...node.suffix];
  const redirections = raw.filter((part) => part.type !== 'Assignment' && part.type !== 'Word');
  const assignments = raw.filter((part) => part.type === 'Assignment');
  const words = [node.name, ...node.suffix.filter((part) => part.type === 'Word')];
  return {
    words: words.flatMap((word) => (word === undefined ? [] : readWords(word, values))),
    environment: assignments.map((one) => ({ name: one.name, value: assignedWord(one, values) })),
    redirections: readRedirections(redirections, values),
    input: readInput(redirections, values),
    piped,
  };
}

function assignedWord(part: Assignment, values: VariableValues): ShellCommand['words'][number] {
  if (part.value.type === 'Word' && part.index === undefined && part.append !== true)
    return readWord(part.value, values);
  throw new CommandRefusal(
    'bash-environment',
    `${part.text} is not a plain assignment. Write NAME=value before the command.`,
  );
}

/** Where output goes and input comes from. */
export function readRedirections(raw: readonly RawRedirection[], values: VariableValues): readonly Redirection[] {
  return raw.flatMap((part) => {
    if (part.descriptor?.type === 'FileDescriptorVariable')
      throw new CommandRefusal(
        'bash-redirect',
        `{${part.descriptor.name}} opens a file as a variable. Redirect with > or <.`,
      );
    return part.type === 'Redirect' ? readRedirect(part, values) : [];
  });
}

function readRedirect(part: Redirect, values: VariableValues): readonly Redirection[] {
  const target = part.target === undefined ? null : readWord(part.target, values);
  const text = part.target?.text ?? '';
  if (target === null || target.isGlob || target.values.includes(''))
    throw new CommandRefusal('bash-redirect', 'A redirection needs one plain file name.');
  if (/^[<>]&$/.test(part.operator) && /^(?:\d+-?|-)$/.test(text)) return [];
  // `>&1'$(id)'` bash expands a second time, and of `>&-x` it takes the `x` for a word of its own.
  if (part.operator === '<&' || (part.operator === '>&' && !/^[A-Za-z_./][\w./-]*$/.test(text)))
    throw new CommandRefusal('bash-redirect', `${part.operator}${text} can't be judged. Write > FILE 2>&1.`);
  return [{ access: part.operator === '<' ? 'read' : 'write', target }];
}

/** The text a command gets on its standard input, as far as the command itself contains it; null: something else. */
function readInput(raw: readonly RawRedirection[], values: VariableValues): string | null {
  const texts = raw.map((part) => readText(part, values));
  const at = raw.findLastIndex((part) => part.type !== 'Redirect' || isStandardInput(part));
  const last = raw[at];
  return last !== undefined && last.type !== 'Redirect' && last.descriptor === undefined ? (texts[at] ?? null) : null;
}

function readText(part: RawRedirection, values: VariableValues): string | null {
  if (part.type === 'HereDoc') return readHereDoc(part, values);
  if (part.type !== 'HereString' || part.target === undefined) return null;
  const [text, ...others] = readWord(part.target, values).values;
  return text === undefined || others.length > 0 ? null : `${text}\n`;
}

function readHereDoc(part: HereDoc, values: VariableValues): string | null {
  const end = part.delimiter;
  const isPlain =
    end !== undefined && part.closing !== undefined && /^(?:\w+|'[\w.-]+'|"[\w.-]+"|\\\w+)$/.test(end.text);
  if (!isPlain) throw new CommandRefusal('bash-syntax', "A here-document needs a plain, closed end mark like 'EOF'.");
  const body = part.operator === '<<-' ? part.body.text.replace(/^\t+/gm, '') : part.body.text;
  const parts = part.body.parts ?? [];
  const isExpanded = !end.quoted && (/[$`\\]/.test(body) || parts.some((one) => one.type !== 'Literal'));
  if (!isExpanded) return body;
  if (part.operator === '<<-' || (parts.length === 0 && /(?<!\\)(?:\\\\)*[$`]/.test(body)))
    throw new CommandRefusal('bash-dynamic', 'The expansions in the here-document could not be read.');
  for (const one of parts) readQuoted(one, values);
  return null;
}

function isStandardInput(part: Redirect): boolean {
  if (part.descriptor === undefined) return part.operator.startsWith('<');
  return part.descriptor.type === 'FileDescriptor' && part.descriptor.value === 0;
}

/** The parser takes `a<(…)` for two words, bash for one. */
function refuseJoined({ name, suffix }: Command): void {
  const all = [...(name === undefined ? [] : [name]), ...suffix];
  const isFed = (part: (typeof all)[number]): boolean => part.type === 'Word' && /^[<>]\(/.test(part.text);
  const isJoined = all.some((part, at) => {
    const next = all[at + 1];
    return next !== undefined && part.end === next.pos && (isFed(part) || isFed(next));
  });
  if (isJoined) throw new CommandRefusal('bash-dynamic', '<(…) must be a word of its own, with spaces around it.');
}
