import type { ArithmeticExpression, Function as Definition, ParsedScript } from 'unbash';
import { hasEntry } from './allowed-words.ts';
import { checkArithmetic, countedIn } from './inner-scripts.ts';
import { printedBy } from './printed-by.ts';
import { Refusal } from './refusal.ts';
import { mark, type ShellCommand, type Word } from './syntax.ts';
import { remember, type Walk } from './walk-state.ts';
import { readWords } from './words.ts';

const positions = ['1', '2', '3', '4', '5', '6', '7', '8', '9'];

/** Takes in what a simple command sets for those behind it. */
export function setNames(walk: Walk, { words, environment }: ShellCommand): void {
  for (const one of environment) remember(walk, one.name, one.value.values);
  const [name, ...args] = words;
  const called = name?.values[0] ?? '';
  if (/^(?:read|mapfile|readarray)$/.test(called))
    for (const arg of args)
      for (const one of arg.values) if (!one.startsWith('-')) remember(walk, one, [mark.any]);
  if (called === 'shift') for (const at of positions) remember(walk, at, [mark.any]);
}

/** Takes in what a function is called with. */
export function setPositions(walk: Walk, args: readonly Word[]): void {
  const isPlain = args.every((arg) => !arg.isGlob && !arg.isSplit);
  for (const [at, position] of positions.entries()) {
    const arg = args[at];
    if (!isPlain) remember(walk, position, [mark.any]);
    else if (arg !== undefined) remember(walk, position, arg.values);
  }
}

/** Takes in a function. Throws a Refusal where its name is that of a program. */
export function define(walk: Walk, { name, body }: Definition): void {
  if (body.type === 'CompoundList') throw construct(body.type);
  // `ls` would no longer be ls.
  if (!/^[A-Za-z_]\w*$/.test(name.text) || name.parts !== undefined || hasEntry(walk.policy, name.text))
    throw new Refusal(
      'bash-construct',
      `A function needs a plain name of its own, and ${name.text} is a program.`,
    );
  walk.functions.set(name.text, [...(walk.functions.get(name.text) ?? []), body]);
}

/** Takes in what an expression counts. Throws a Refusal where bash could run what it computes with. */
export function compute(walk: Walk, expression: ArithmeticExpression | undefined): void {
  for (const name of countedIn(expression)) remember(walk, name, [mark.number]);
  if (walk.visitor !== null) checkArithmetic(expression, walk.values, (script) => printed(walk, script));
}

function printed(walk: Walk, script: ParsedScript): readonly string[] {
  return printedBy(script, (word) => readWords(word, walk.values));
}

export function construct(type: string): Refusal {
  return new Refusal(
    'bash-construct',
    `A ${type} can't be judged. Use simple commands, joined by \`&&\`, \`||\`, \`;\` or pipes.`,
  );
}
