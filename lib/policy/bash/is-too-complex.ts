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
