import type { Assignment, Command, Redirection as RawRedirection } from 'unbash';
import { readPrograms } from './read-programs.ts';
import { readInput, readRedirections } from './read-redirections.ts';
import { readWord, readWords } from './read-word.ts';
import { Refusal } from './refusal.ts';
import { ranIn, type Scope, type SimpleCommand } from './syntax.ts';

// What they are given under a name that is no file they only read.
const feeders = new Set(Object.keys(readPrograms));

/** One program with its words, redirections and input. */
export function readSimple(node: Command, scope: Scope): SimpleCommand {
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
  const [name] = words;
  refuseJoined(node);
  if (words.some(({ fed }) => fed !== undefined) && !(name?.isPlain === true && feeders.has(name.text)))
    throw new Refusal('bash-dynamic', `${name?.text ?? ''} can't be given <(…) here. Use a pipe.`);
  const input = readInput(raw, name?.text, scope);
  const redirections = readRedirections(raw, scope);
  const inner = [...words, ...redirections].flatMap(ranIn);
  return {
    kind: 'command',
    environment,
    words,
    redirections,
    input: input.text,
    inner: [...inner, ...input.runs],
  };
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
  if (value.unknown !== null || value.fed !== undefined)
    throw new Refusal(
      'bash-dynamic',
      `${part.text} holds more than plain text. Put the value in single quotes.`,
    );
  return { name: part.name, value: value.text };
}

/** The parser takes `a<(…)` for two words, bash for one. */
function refuseJoined({ name, suffix }: Command): void {
  const all = [...(name === undefined ? [] : [name]), ...suffix];
  const isFed = (part: (typeof all)[number]): boolean => part.type === 'Word' && /^[<>]\(/.test(part.text);
  const isJoined = all.some((part, at) => {
    const next = all[at + 1];
    return next !== undefined && part.end === next.pos && (isFed(part) || isFed(next));
  });
  if (isJoined) throw new Refusal('bash-dynamic', '<(…) stands alone, with blanks around it.');
}
