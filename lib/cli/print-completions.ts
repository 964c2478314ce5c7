import { resolve } from 'node:path';
import { adapterNames } from '../domain/config/known-clis.ts';
import { agentRoles } from '../domain/role.ts';
import {
  type CommandName,
  type CompletionCandidate,
  type Io,
  type NameKind,
  nameKinds,
} from '../domain/view-models/command.ts';
import { toPrintableLine } from '../ui/text/printable-text.ts';
import { type CommandSpec, listOptionFlags, type OptionSpec } from './command-spec.ts';
import { commandTable, globalOptionSpecs } from './command-table.ts';
import { listShownCommands } from './render-help.ts';

/** The hidden command the completion scripts of the shells call: `git flame __complete -- WORD... CURRENT`. */
export const hiddenCompleteCommand = '__complete';

const aboutWidth = 60;

/**
 * Prints what the last word may be completed to: one word a line, a tab and what it is behind it. `:files` or
 * `:folders` alone asks the shell for its own. Reports no errors: a TAB is no place for them.
 */
export async function printCompletions(argv: readonly string[], io: Io): Promise<number> {
  const words = argv[0] === '--' ? argv.slice(1) : argv;
  const completion = planCompletion(words.slice(0, -1), words.at(-1) ?? '');
  const { source, before, typed } = completion;
  if (source.kind === 'files' || source.kind === 'folders') {
    io.stdout.write(`:${source.kind}\n`);
    return 0;
  }
  const candidates = await listCandidates(source, completion, io).catch(() => []);
  const lines = candidates
    .filter(({ word }) => word.startsWith(typed))
    .map(({ word, about }) => `${before}${word}\t${shorten(toPrintableLine(about))}\n`);
  io.stdout.write(lines.join(''));
  return 0;
}

async function listCandidates(
  source: Source,
  { directory, session }: Completion,
  io: Io,
): Promise<readonly CompletionCandidate[]> {
  if (source.kind === 'words') return source.words;
  if (source.kind !== 'names') return [];
  const { listNames } = await import('../commands/completion/list-names.ts');
  const cwd = directory === null ? io.cwd : resolve(io.cwd, directory);
  return listNames({ cwd, env: io.env }, source.of, session);
}

function shorten(text: string): string {
  const letters = [...text];
  return letters.length <= aboutWidth ? text : `${letters.slice(0, aboutWidth - 1).join('')}…`;
}

/** The source of the words for one place of a command line. */
type Source =
  | { readonly kind: 'words'; readonly words: readonly CompletionCandidate[] }
  | { readonly kind: 'names'; readonly of: readonly NameKind[] }
  | { readonly kind: 'files' | 'folders' | 'nothing' };

interface Completion {
  readonly source: Source;
  /** Stands before each word: `--from=`. */
  readonly before: string;
  /** The word typed so far, without `before`. */
  readonly typed: string;
  /** Values of -C and --session on the line. */
  readonly directory: string | null;
  readonly session: string | null;
}

interface Line {
  readonly positionals: readonly string[];
  readonly flags: ReadonlySet<string>;
  readonly values: ReadonlyMap<string, string>;
  /** The option whose value is being typed. */
  readonly open: OptionSpec | null;
  readonly isPastOptions: boolean;
}

/** Plans completions at the cursor: `words` are complete, `current` is being typed. Uses the command table alone. */
export function planCompletion(words: readonly string[], current: string): Completion {
  const line = readLine(words);
  const [directory, session] = [line.values.get('-C') ?? null, line.values.get('--session') ?? null];
  const inline = line.open === null && !line.isPastOptions ? /^(--[\w-]+)=(.*)$/s.exec(current) : null;
  if (inline !== null) {
    const [, flag = '', typed = ''] = inline;
    const spec = valueOption(flag, findSpec(line.positionals[0]));
    const value = spec === null ? null : completeValue(spec, typed);
    return {
      ...(value ?? { source: nothing, before: '', typed }),
      before: `${flag}=${value?.before ?? ''}`,
      directory,
      session,
    };
  }
  if (line.open !== null) return { ...completeValue(line.open, current), directory, session };
  return { source: findSource(line, current), before: '', typed: current, directory, session };
}

/** Of a list the word behind the last comma is completed. */
function completeValue(spec: OptionSpec, value: string): Pick<Completion, 'source' | 'before' | 'typed'> {
  const start = spec.kind === 'list' ? value.lastIndexOf(',') + 1 : 0;
  const words = spec.choices?.map((word) => ({ word, about: '' }));
  const source: Source = words === undefined ? sourceOf(spec.value ?? '') : { kind: 'words', words };
  return { source, before: value.slice(0, start), typed: value.slice(start) };
}

/**
 * Finds the source of names for the placeholder of a value or an operand: `FILE`, `[TASK|AGENT]`. Null: a name that is
 * not described here.
 */
export function findPlaceholderSource(placeholder: string): Source | null {
  const all = placeholder.replace(/[[\].']/g, '').split(/[|,\s]+/);
  const names = [...new Set(all)].filter((name) => !freeTexts.has(name));
  const [first] = names;
  if (first === undefined) return nothing;
  const fixed = fixedSources[first];
  if (fixed !== undefined) return fixed();
  const kinds = names.flatMap((name) => nameKinds.filter((kind) => kind === (kindNames[name] ?? name.toLowerCase())));
  return kinds.length === names.length ? { kind: 'names', of: kinds } : null;
}

const nothing: Source = { kind: 'nothing' };

/** Placeholders of what only the person knows. */
const freeTexts: ReadonlySet<string> = new Set([
  'N',
  'NAME',
  'NOTES',
  'REASON',
  'PATH:LINE',
  'MESSAGE',
  'COMMIT',
  'DIGEST',
  'ADDRESS',
  'AMOUNT',
  'OBJECTIVE',
  'TITLE',
  'TEXT',
  'ANSWER',
  'TARGET',
  'WHAT',
  'A',
  'B',
]);

const kindNames: Readonly<Record<string, string>> = { ID: 'task', GROUP: 'changeset', REV: 'branch' };

// A script can't be a lead agent.
const chats = adapterNames.filter((name) => name !== 'exec');

const tools = ['Bash', 'Read', 'Write', 'Edit', 'Glob', 'Grep', 'WebFetch'];

const fixedSources: Readonly<Record<string, () => Source>> = {
  FILE: () => ({ kind: 'files' }),
  DIR: () => ({ kind: 'folders' }),
  TOOL: () => ({ kind: 'words', words: tools.map((word) => ({ word, about: '' })) }),
  CHAT: () => ({ kind: 'words', words: chats.map((word) => ({ word, about: '' })) }),
  ROLE: () => ({ kind: 'words', words: agentRoles.map((word) => ({ word, about: '' })) }),
  COMMAND: () => ({ kind: 'words', words: commandWords() }),
};

function readLine(words: readonly string[]): Line {
  const positionals: string[] = [];
  const flags = new Set<string>();
  const values = new Map<string, string>();
  let open: string | null = null;
  let isPastOptions = false;
  for (const word of words) {
    if (open !== null) {
      values.set(open, word);
      open = null;
    } else if (isPastOptions || !/^-./.test(word)) positionals.push(word);
    else if (word === '--') isPastOptions = true;
    else {
      const [flag = '', value] = splitInline(word);
      flags.add(flag);
      if (value !== undefined) values.set(flag, value);
      else if (valueOption(flag, null) !== null) open = flag;
    }
  }
  const spec = findSpec(positionals[0]);
  return { positionals, flags, values, open: open === null ? null : valueOption(open, spec), isPastOptions };
}

function splitInline(word: string): readonly [string, string?] {
  const at = word.indexOf('=');
  return word.startsWith('--') && at > 0 ? [word.slice(0, at), word.slice(at + 1)] : [word];
}

/** The option of this flag, where it takes a value: that of the command, else of any, where it takes one too. */
function valueOption(flag: string, spec: CommandSpec<CommandName> | null): OptionSpec | null {
  const tables = [
    globalOptionSpecs,
    ...(spec === null ? [] : [spec.options]),
    ...Object.values(commandTable).map(({ options }) => options),
  ];
  for (const table of tables as readonly Readonly<Record<string, OptionSpec>>[]) {
    const found = Object.entries(table).find(([key, option]) => listOptionFlags(key, option).includes(flag));
    if (found !== undefined) return found[1].value === undefined ? null : found[1];
  }
  return null;
}

function findSource(line: Line, current: string): Source {
  const [name, ...operands] = line.positionals;
  const spec = findSpec(name);
  if (!line.isPastOptions && current.startsWith('-')) return { kind: 'words', words: flagWords(spec, line.flags) };
  if (name === undefined) return { kind: 'words', words: commandWords() };
  if (spec === null) return nothing;
  const { subcommands = [], operand } = spec;
  if (subcommands.length > 0 && operands.length === 0) return { kind: 'words', words: subcommands.map(toCandidate) };
  const taken = operands.length - (subcommands.length > 0 ? 1 : 0);
  if (operand === undefined || (operand.kind === 'one' && taken > 0)) return nothing;
  return sourceOf(operand.usage);
}

function sourceOf(placeholder: string): Source {
  return findPlaceholderSource(placeholder) ?? nothing;
}

function findSpec(name: string | undefined): CommandSpec<CommandName> | null {
  const found = (Object.keys(commandTable) as CommandName[]).find((command) => command === name);
  return found === undefined ? null : commandTable[found];
}

function commandWords(): readonly CompletionCandidate[] {
  return listShownCommands().map((name) => ({ word: name, about: commandTable[name].summary }));
}

function toCandidate({ name, summary }: { readonly name: string; readonly summary: string }): CompletionCandidate {
  return { word: name, about: summary };
}

/** The command's own options first, then the program's; none that stands on the line already. */
function flagWords(spec: CommandSpec<CommandName> | null, given: ReadonlySet<string>): readonly CompletionCandidate[] {
  const tables: readonly Readonly<Record<string, OptionSpec>>[] = [
    ...(spec === null ? [] : [spec.options]),
    globalOptionSpecs,
  ];
  return tables.flatMap((table) =>
    Object.entries(table).flatMap(([key, option]) => {
      const flags = listOptionFlags(key, option);
      if (flags.some((flag) => given.has(flag))) return [];
      return flags.map((word) => ({ word, about: option.summary }));
    }),
  );
}
