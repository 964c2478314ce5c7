import { boundText } from '../../core/task/one-line.ts';
import { isForgeError } from './run-forge.ts';

/** The most lines of a log's end. */
const mostLines = 40;
const mostCharacters = 3_000;

// Control sequences of terminals, and the marks of GitLab's sections.
const controls = /\u001b\[[0-9;?]*[A-Za-z]|section_(?:start|end):\d+:[^\r\n]*\r?/g;
const stamp = /^\ufeff?\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z /;

/**
 * The end of a failed check's log as data: its last lines, printable, without time stamps. '' where there is none, null
 * where it can't be had: a host gives none before all of a run has ended. Throws what isn't the log's own failure (signed out, no more requests).
 */
export async function endOfLog(read: () => Promise<string>): Promise<string | null> {
  try {
    const lines = (await read())
      .replace(controls, '')
      .split('\n')
      .map((line) =>
        withoutStep(line)
          .replace(stamp, '')
          .replace(/^[^\r]*\r(?=[^\r])/, ''),
      )
      .filter((line) => line.trim() !== '');
    return lastOf(lines.slice(-mostLines).map((line) => boundText(line, mostCharacters)));
  } catch (error) {
    if (isForgeError(error) && error.code === 'forge-failed') return null;
    throw error;
  }
}

/** gh puts the names of job and step before each line. */
function withoutStep(line: string): string {
  const [, , third] = line.split('\t', 3);
  return third !== undefined && stamp.test(third) ? line.split('\t').slice(2).join('\t') : line;
}

/** The last whole lines that fit. */
function lastOf(lines: readonly string[]): string {
  let text = '';
  for (const line of [...lines].reverse()) {
    const more = text === '' ? line : `${line}\n${text}`;
    if (more.length > mostCharacters) break;
    text = more;
  }
  return text;
}
