import { type ParsedScript, parse } from 'unbash';
import { pictureJoiner } from '../../util/joiners.ts';
import { CommandRefusal } from './shell-command-types.ts';

/** Parses a command line. Throws a Refusal for what isn't read whole, and in the same way by bash. */
export function parseScript(text: string): ParsedScript {
  if (isTooComplex(text)) throw tooComplexRefusal();
  // A joiner between two pictures, which makes one emoji of them, hides nothing.
  const shown = text.replace(pictureJoiner, '+');
  const odd = /[^\P{Cc}\n\t]|[\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]|(?! )\p{Zs}/u.exec(shown);
  if (odd !== null) {
    const what = `contains the character U+${hex(odd[0])} at position ${odd.index + 1}`;
    throw new CommandRefusal('bash-characters', `The command ${what}. Write it in plain, visible characters.`);
  }
  if (text.trim() === '') throw new CommandRefusal('bash-syntax', 'The command is empty.');
  // Whether the last newline survives on the way to bash decides what the backslash means.
  if (/\\\s*$/.test(text)) throw new CommandRefusal('bash-syntax', 'The command ends in a backslash. Finish it.');
  const script = parsed(text);
  requireParsedWhole(script);
  // The parser ignores an open bracket at the very end; bash doesn't.
  const rest = text.slice(script.commands.at(-1)?.end ?? text.length);
  if (!text.includes('<<') && !/^[\s;]*(?:#[\s\S]*)?$/.test(rest))
    throw new CommandRefusal('bash-syntax', `The command does not parse at its end: ${rest.trim()}.`);
  return script;
}

/** Throws a Refusal for a script with an error in it, or with nothing. */
export function requireParsedWhole({ errors, commands }: ParsedScript): void {
  const [error] = errors ?? [];
  if (error !== undefined)
    throw new CommandRefusal(
      'bash-syntax',
      `The command does not parse: ${error.message}. Check its quotes and brackets.`,
    );
  if (commands.length === 0) throw new CommandRefusal('bash-syntax', 'The command contains nothing to run.');
}

export function tooComplexRefusal(): CommandRefusal {
  return new CommandRefusal(
    'command-too-complex',
    'The command has too many parts to be judged. Put it into a script, or run it in smaller steps.',
  );
}

function parsed(text: string): ParsedScript {
  try {
    return parse(text);
  } catch {
    throw new CommandRefusal('bash-syntax', 'The command could not be parsed. Split it into simple commands.');
  }
}

function hex(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
}

const longest = 150_000;
// Outside of here-documents: people and agents write a few hundred characters.
const longestShell = 20_000;
const mostWords = 3_000;
const mostOperators = 1_000;
// `<<`: for each, a parser looks for the end, one after the other. C++ has many of them.
const mostHereMarks = 3_000;

/** Whether a shell command is too long to be worth parsing; finding that costs next to nothing. */
export function isTooComplex(command: string): boolean {
  if (command.length > longest || countOf(command, /<</g) > mostHereMarks) return true;
  const shell = withoutHereDocuments(command);
  return (
    shell.length > longestShell ||
    countOf(shell, /\S+/g) > mostWords ||
    countOf(shell, /[|&;(){}<>$`]/g) > mostOperators
  );
}

function countOf(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}

/**
 * The lines of a command that are no text of a here-document, as far as one line at a time can say. Where that is
 * wrong, what is read and judged is counted all the same.
 */
function withoutHereDocuments(command: string): string {
  if (!command.includes('<<')) return command;
  let end: string | null = null;
  const kept = command.split('\n').filter((line) => {
    if (end === null) {
      end = endMark(line);
      return true;
    }
    if (line.replace(/^\t+/, '') === end) end = null;
    return false;
  });
  return kept.join('\n');
}

function endMark(line: string): string | null {
  // Text in quotes or behind `#` is skipped.
  const pieces = line.matchAll(
    /\\.|"(?:[^"\\]|\\.)*"|'[^']*'|(?<!\S)#.*|<<<|<<-?[ \t]*(?:(['"])([\w.-]+)\1|\\?(\w+))/g,
  );
  for (const [, , quoted, plain] of pieces) {
    const mark = quoted ?? plain;
    if (mark !== undefined) return mark;
  }
  return null;
}
