import { contextAt, type Question } from './bash-question.ts';
import type { Lines } from './found-files.ts';
import { linesOf, pipedLines } from './outputs.ts';
import { Refusal } from './refusal.ts';
import { settle } from './settle.ts';
import type { BashNode } from './syntax.ts';

/** A part of a pipe, with what the parts before it write. */
export function withPiped(
  question: Question,
  before: readonly BashNode[],
  places: readonly string[],
): Question {
  const all = places.map((cwd) => {
    const context = contextAt(question, cwd);
    return pipedLines(context, before, (command) => settle(context, command, question.known));
  });
  const lines = all.some((one) => one === null) ? null : all.flatMap((one) => one ?? []);
  return { ...question, piped: printed(before.at(-1)), lines };
}

/** Bash may take each line apart at blanks. */
export function parted(lines: Lines | undefined): Lines {
  return lines?.flatMap((line) => [line, ...line.split(/\s+/).filter((part) => part !== line)]) ?? null;
}

/** `[[ TEXT -gt 1 ]]` computes with the text, and what is in an index runs. */
export function refuseTexts(question: Question, nodes: readonly BashNode[], cwd: string): void {
  const context = contextAt(question, cwd);
  for (const node of nodes) {
    const lines =
      question.known.get(node) ??
      linesOf(context, node, (command) => settle(context, command, question.known));
    if (lines?.every((line) => /^-?\d+$/.test(line)) !== true)
      throw new Refusal(
        'bash-construct',
        'Bash runs what is in an index where it computes: only what is certainly a number may be there. Compare with [ … -gt … ].',
      );
  }
}

/** The text a command writes, where it is part of the command itself; null: not known. */
function printed(node: BashNode | undefined): string | null {
  if (node?.kind !== 'command' || node.words.some((word) => word.isGlob || word.unknown !== null))
    return null;
  if (node.redirections.length > 0) return null;
  const [name, ...args] = node.words.map(({ text }) => text);
  if (name === 'cat' && args.length === 0) return node.input;
  if (name === 'echo') return `${args.filter((arg, at) => at > 0 || !/^-[neE]+$/.test(arg)).join(' ')}\n`;
  const [format = '', only = ''] = args;
  if (name === 'printf' && args.length === 1 && !/[%\\]/.test(format)) return format;
  return name === 'printf' && /^%s(?:\\n)?$/.test(format) && args.length === 2 ? `${only}\n` : null;
}
