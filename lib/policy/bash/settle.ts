import type { PathContext } from '../judge-path.ts';
import { representatives } from './candidates.ts';
import { splitLine, tellingNames } from './find.ts';
import type { Lines } from './found-files.ts';
import { linesOf } from './outputs.ts';
import { Refusal } from './refusal.ts';
import {
  type BashNode,
  type Output,
  outputMark,
  type Redirection,
  type SimpleCommand,
  type Word,
} from './syntax.ts';

type Known = ReadonlyMap<BashNode, Lines>;

const shows = new Set(['printf', 'echo']);
const compares = new Set(['test', '[']);
const mostVariants = 200;

/**
 * The command with what its words may hold in place of the marks, once for each that the rules treat
 * differently. What is allowed for all of them is allowed. Where it isn't known what a word holds, it stays
 * unknown.
 */
export function settle(context: PathContext, command: SimpleCommand, known: Known): readonly SimpleCommand[] {
  const name = command.words[0]?.text ?? '';
  // These only show and compare: rules of their own decide where. What bash splits could be an operator.
  const isPlain = command.words.every(({ outputs, isSplit }, at) => {
    const isFile = /^-[a-mo-yA-Z]$/.test(command.words[at - 1]?.text ?? '');
    return outputs === undefined || (compares.has(name) && isSplit !== true && !isFile);
  });
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
  const lines = textsOf(word, around);
  if (lines === null) return [[word]];
  if (word.isSplit === true && around.context.makesFiles === true) return [[word]];
  const isWhole = word.text === outputMark;
  const parts =
    word.isSplit === true ? lines.flatMap((line) => splitLine(around.context, line, around.run)) : lines;
  const texts = [...new Set(parts)];
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

/** What a word may say, where all its outputs are of one command. */
function textsOf(
  { text, outputs = [] }: Pick<Word, 'text' | 'outputs'>,
  around: Pick<Around, 'context' | 'known'>,
): Lines {
  const [first, ...others] = outputs;
  if (first === undefined || others.some(({ node }) => node !== first.node)) return null;
  const lines = linesOfOutput(first, around);
  const [head = '', ...pieces] = text.split(outputMark);
  return (
    lines?.map((line) =>
      pieces.reduce((all, piece, at) => all + (outputs[at]?.change?.(line) ?? line) + piece, head),
    ) ?? null
  );
}

/**
 * The redirections; those to files that only a command knows, once for each that the rules treat differently.
 */
export function settleRedirections(
  context: PathContext,
  redirections: readonly Redirection[],
  known: Known,
): readonly Redirection[] {
  return redirections.flatMap((one) => {
    if (one.outputs === undefined) return [one];
    const texts = textsOf({ text: one.target, outputs: one.outputs }, { context, known });
    if (texts === null) throw new Refusal('bash-redirect', 'A redirection needs one plain file name.');
    return representatives(context, texts).map((target) => ({ access: one.access, target }));
  });
}

function linesOfOutput(
  { node, isGiven }: Output,
  { context, known }: Pick<Around, 'context' | 'known'>,
): Lines {
  if (node === undefined) return null;
  if (isGiven === true && node.kind !== 'number') return known.get(node) ?? null;
  return linesOf(context, node, (command) => settle(context, command, known));
}

function plainWord(text: string): Word {
  return { text, isGlob: false, isPlain: false, unknown: null };
}
