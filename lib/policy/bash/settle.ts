import type { PathContext } from '../judge-path.ts';
import { tellingNames } from './find.ts';
import { type Lines, linesOf } from './outputs.ts';
import { type BashNode, type Output, outputMark, type SimpleCommand, type Word } from './syntax.ts';

type Known = ReadonlyMap<BashNode, Lines>;

const shows = new Set(['printf', 'echo']);
const compares = new Set(['test', '[']);
const mostVariants = 200;

/**
 * The command with what its words may hold in place of the marks, once for each that the rules tell apart. What is
 * let pass for all of them is let pass. Where nobody knows what a word holds, it stays unknown.
 */
export function settle(context: PathContext, command: SimpleCommand, known: Known): readonly SimpleCommand[] {
  const name = command.words[0]?.text ?? '';
  // These only show and compare: rules of their own say where. What bash takes apart could be an operator.
  const isPlain = command.words.every(({ outputs, isSplit }) =>
    compares.has(name) ? isSplit !== true : outputs === undefined,
  );
  if (shows.has(name) || isPlain) return [command];
  const run = command.words.map(({ text }) => text.replaceAll(outputMark, ''));
  let heads: (readonly Word[])[] = [[]];
  for (const word of command.words) {
    const choices = word.outputs === undefined ? [[word]] : choicesFor(word, { context, known, run });
    heads = heads.flatMap((head) => choices.map((choice) => [...head, ...choice]));
    if (heads.length > mostVariants) return [command];
  }
  return heads.map((words) => ({ ...command, words }));
}

interface Around {
  readonly context: PathContext;
  readonly known: Known;
  readonly run: readonly string[];
}

/** What a word may become: itself where it can't be known, else plain words. */
function choicesFor(word: Word, around: Around): readonly (readonly Word[])[] {
  const [output, ...others] = word.outputs ?? [];
  const lines = output === undefined || others.length > 0 ? null : linesOfOutput(output, around);
  if (lines === null) return [[word]];
  if (word.isSplit === true && around.context.makesFiles === true) return [[word]];
  const isWhole = word.text === outputMark;
  const parts = word.isSplit === true ? lines.flatMap((line) => line.split(/\s+/)) : lines;
  const texts = [...new Set(parts.map((part) => word.text.replaceAll(outputMark, part)))];
  // Bash puts names of files in place of wildcards here, too.
  if (word.isSplit === true && texts.some((text) => /[*?[\\]/.test(text))) return [[word]];
  const telling = tellingNames(
    around.context,
    around.run,
    texts.filter((text) => text !== ''),
  );
  const chosen =
    telling.length > 0 ? telling : isWhole ? ['./any-file'] : [word.text.replaceAll(outputMark, '')];
  const words = chosen.map(plainWord);
  const single = words.map((one) => [one]);
  // Without quotes it may be several words, or none.
  if (!isWhole || word.isSplit !== true) return single;
  return [[], ...single, ...words.flatMap((a) => words.map((b) => [a, b]))];
}

function linesOfOutput({ node, isGiven }: Output, { context, known }: Around): Lines {
  if (node === undefined) return null;
  if (isGiven === true) return known.get(node) ?? null;
  return linesOf(context, node, (command) => settle(context, command, known));
}

function plainWord(text: string): Word {
  return { text, isGlob: false, isPlain: false, unknown: null };
}
