import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { FlameError } from '../../domain/flame-error.ts';
import type { Io } from '../../domain/view-models/command.ts';
import { renderError } from '../render/render-error.ts';
import { toPrintableLine } from '../text/printable-text.ts';
import type { Style } from '../text/style.ts';
import { runPagerOrEditor } from './run-pager-or-editor.ts';

export interface EditOptions<Value> {
  /** Output of `git var GIT_EDITOR`. */
  readonly editor: string;
  readonly fileName: string;
  readonly text: string;
  /** Throws a FlameError naming lines and reasons. */
  readonly parse: (text: string) => Value | Promise<Value>;
  readonly print: (line: string) => void;
  readonly style: Style;
  /** No person is there to mend mistakes: the first one is thrown, and the text stays in its file. */
  readonly isOnce?: boolean;
  /** Aborts when what is edited was decided elsewhere: what was written counts for nothing then, and stays in its file. */
  readonly withdrawn?: AbortSignal | undefined;
  /** Each line counts, also one that begins with #, and none at all. */
  readonly isVerbatim?: boolean;
}

const mark = '#! ';

/**
 * Has text edited in the person's editor until it parses. Resolves to null when they leave it as it was, or
 * empty; what they wrote until then stays in its file, which is named. Rejects with the reason of `withdrawn`.
 */
export async function editTextInEditor<Value>(io: Io, options: EditOptions<Value>): Promise<Value | null> {
  const folder = await mkdtemp(join(tmpdir(), 'git-flame-'));
  const file = join(folder, options.fileName);
  let offered = options.text;
  for (;;) {
    await writeFile(file, offered);
    const exitCode = await runPagerOrEditor(io, options.editor, { args: [file] });
    const edited = await readFile(file, 'utf8');
    if (options.withdrawn?.aborted === true) {
      await leave(file, edited === options.text || isEmpty(edited), options.print);
      throw options.withdrawn.reason;
    }
    if (exitCode !== 0) options.print(`The editor ended with ${exitCode}.`);
    const isWhole = options.isVerbatim === true;
    const isNothing = !isWhole && isEmpty(edited);
    if (exitCode !== 0 || edited === offered || isNothing) {
      await leave(file, edited === options.text || isNothing, options.print);
      return null;
    }
    const bare = isWhole ? edited : removeMarks(edited);
    const result = await tryParse(bare, options.parse);
    if (result.kind === 'parsed') {
      await rm(folder, { recursive: true, force: true });
      return result.value;
    }
    if (options.isOnce === true) {
      options.print(`Your text is in ${file}`);
      throw result.error;
    }
    options.print(renderError(result.error, options.style));
    offered = await markMistakes(bare, result.error, options.parse);
  }
}

type ParseResult<Value> =
  | { readonly kind: 'parsed'; readonly value: Value }
  | { readonly kind: 'failed'; readonly error: FlameError };

async function tryParse<Value>(text: string, parse: EditOptions<Value>['parse']): Promise<ParseResult<Value>> {
  try {
    return { kind: 'parsed', value: await parse(text) };
  } catch (error) {
    if (error instanceof FlameError) return { kind: 'failed', error };
    throw error;
  }
}

/**
 * The mistakes as comments, since an editor covers the terminal: each above the line it is about where that is
 * known, all of them on top where it isn't. There they are parsed once more below a block of that height, so that
 * the lines they name are those the person sees.
 */
async function markMistakes<Value>(
  text: string,
  error: FlameError,
  parse: EditOptions<Value>['parse'],
): Promise<string> {
  const placed = placesOf(error);
  if (placed.length > 0) return markInPlace(text, error, placed);
  const block = mistakeBlock(error);
  const shifted = await tryParse(`${'#\n'.repeat(block.length)}${text}`, parse);
  const lines = shifted.kind === 'failed' ? mistakeBlock(shifted.error) : block;
  return `${lines.join('\n')}\n${text}`;
}

interface PlacedMistake {
  /** From 1. */
  readonly line: number;
  readonly text: string;
}

/** Reads positions from an error's data: `{problems: [{line, path, message, hint}]}`; none where one has no line. */
function placesOf({ data }: FlameError): readonly PlacedMistake[] {
  const problems: readonly unknown[] = Array.isArray(data.problems) ? data.problems : [];
  const placed = problems.flatMap((problem): PlacedMistake[] => {
    if (typeof problem !== 'object' || problem === null) return [];
    const { line, path, message, hint } = problem as Readonly<Record<string, unknown>>;
    if (typeof line !== 'number' || typeof message !== 'string') return [];
    const words = [path, message, typeof hint === 'string' ? `(${hint})` : null];
    return [{ line, text: words.filter((word) => typeof word === 'string' && word !== '').join(' ') }];
  });
  return placed.length === problems.length ? placed : [];
}

function markInPlace(text: string, error: FlameError, placed: readonly PlacedMistake[]): string {
  const lines = text.split('\n').flatMap((line, index) => {
    const about = placed.filter((mistake) => mistake.line === index + 1);
    return [...about.map((mistake) => `${mark}${toPrintableLine(mistake.text)}:`), line];
  });
  const heading = `${toPrintableLine(error.message)} Each mistake is described above its line.`;
  return [`${mark}${heading}`, `${mark}${wayOut}`, ...lines].join('\n');
}

const wayOut = 'Fix it, save and close; empty the file to cancel.';

function mistakeBlock(error: FlameError): readonly string[] {
  const lines = [error.message, ...error.lines.flatMap((line) => line.split('\n'))];
  return [...lines.map((line) => mark + toPrintableLine(line)), mark + wayOut];
}

function removeMarks(text: string): string {
  return text
    .split('\n')
    .filter((line) => !line.startsWith(mark))
    .join('\n');
}

function isEmpty(text: string): boolean {
  return text.split('\n').every((line) => line.trim() === '' || line.trimStart().startsWith('#'));
}

async function leave(file: string, isWorthless: boolean, print: (line: string) => void): Promise<void> {
  if (!isWorthless) {
    print(`Nothing was changed; your text is in ${file}`);
    return;
  }
  await rm(dirname(file), { recursive: true, force: true });
  print('Nothing was changed.');
}
