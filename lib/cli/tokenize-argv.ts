import { parseArgs } from 'node:util';
import { listOptionFlags, type OptionSpec } from './command-spec.ts';
import { commandTable, globalOptionSpecs } from './command-table.ts';

/** Options by their key in the table. */
export type OptionSpecsByKey = Readonly<Record<string, OptionSpec>>;

/** An option as it was given. */
export interface TokenizedOption {
  /** As typed: `--from`, `-n`. */
  readonly typed: string;
  /** Its name for the parser: `from`, `no-color`. */
  readonly name: string;
  readonly value: string | undefined;
  readonly isInline: boolean;
}

/** Splits the line with every option of the program known, so that a value is never taken for the command. */
export function tokenize(argv: readonly string[]): { given: TokenizedOption[]; words: string[] } {
  const { tokens } = parseArgs({
    args: [...withOptionalValues(argv)],
    options: parserOptions(),
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const given: TokenizedOption[] = [];
  const words: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional') words.push(token.value);
    if (token.kind === 'option') {
      given.push({
        typed: token.rawName,
        name: token.name,
        value: token.value,
        isInline: token.inlineValue === true,
      });
    }
  }
  return { given, words };
}

/** `--join origin` as `--join=origin`, and `--join` alone as `--join=`. */
function withOptionalValues(argv: readonly string[]): readonly string[] {
  const flags = Object.values(commandTable).flatMap(({ options }) =>
    Object.entries(options as OptionSpecsByKey).flatMap(([key, spec]) =>
      spec.kind === 'optional' ? listOptionFlags(key, spec) : [],
    ),
  );
  const end = argv.includes('--') ? argv.indexOf('--') : argv.length;
  const words: string[] = [];
  for (let at = 0; at < argv.length; at += 1) {
    const word = argv[at] ?? '';
    const next = argv[at + 1];
    if (at >= end || !flags.includes(word)) words.push(word);
    else if (at + 1 >= end || next === undefined || !/^\w[\w./-]*$/.test(next)) words.push(`${word}=`);
    else {
      words.push(`${word}=${next}`);
      at += 1;
    }
  }
  return words;
}

function parserOptions(): Record<string, { type: 'string' | 'boolean'; short?: string }> {
  const all = [
    globalOptionSpecs,
    ...Object.values(commandTable).map((spec) => spec.options),
  ] as readonly OptionSpecsByKey[];
  const entries = all.flatMap((specs) =>
    Object.entries(specs).flatMap(([key, spec]) =>
      listParserOptionNames(key, spec).map((name) => [name, parserOption(spec)] as const),
    ),
  );
  return Object.fromEntries(entries);
}

function parserOption(spec: OptionSpec): { type: 'string' | 'boolean'; short?: string } {
  const type = hasOptionValue(spec) ? 'string' : 'boolean';
  return spec.short === undefined ? { type } : { type, short: spec.short };
}

/** The long names of an option, as the parser knows them. */
export function listParserOptionNames(key: string, spec: OptionSpec): readonly string[] {
  const long = listOptionFlags(key, spec).filter((flag) => flag.startsWith('--'));
  return long.length === 0 ? [key] : long.map((flag) => flag.slice(2));
}

/** Whether an option is followed by a value. */
export function hasOptionValue(spec: OptionSpec): boolean {
  return ['text', 'texts', 'optional', 'number', 'list'].includes(spec.kind);
}
