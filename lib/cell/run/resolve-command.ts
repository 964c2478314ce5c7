import { basename, isAbsolute } from 'node:path';
import { FlameError } from '../../domain/flame-error.ts';
import type { Adapter } from '../../domain/ports/adapter.ts';
import { runInHomeCell, withRunFolder } from '../probes/probe-cell.ts';
import type { RunnerContext } from '../runner-context.ts';
import { findProgram, pathExists } from '../sandbox/tool-paths.ts';
import { createTailBuffer } from '../tail-buffer.ts';

/** An adapter's command with its program's absolute path. Throws FlameError `agent-missing`. */
export function resolveAdapterCommand(context: RunnerContext, adapter: Adapter): string[] {
  const [program = '', ...args] = adapter.command;
  const base = context.repository.mainWorkTree ?? context.repository.commonDir;
  const found = findProgram(program, context.searchFolders, base);
  if (found === null) throw adapterProgramNotFoundError(adapter);
  return [found, ...args];
}

export function adapterProgramNotFoundError(adapter: Adapter): FlameError {
  const [program = ''] = adapter.command;
  return agentMissingError(adapter, program, `The program of adapter ${adapter.name} was not found: ${program}.`);
}

/** `details`: what the program printed, where there is one; `hint`: by default how it is installed. */
export function agentMissingError(
  adapter: Adapter,
  program: string,
  message: string,
  { details = [], hint }: { readonly details?: readonly string[]; readonly hint?: string } = {},
): FlameError {
  return new FlameError({
    kind: 'environment',
    code: 'agent-missing',
    message,
    hints: [hint ?? adapter.version.install],
    details,
    data: { adapter: adapter.name, program },
  });
}

/**
 * Lists the files that a resolved command runs: its program, and the script an interpreter is given. Other words name
 * files of no program, so a cell doesn't show them.
 */
export function listProgramFiles(command: readonly string[]): string[] {
  const [program = '', ...words] = command;
  const script = scriptOf(basename(program), words);
  return [program, ...(script === null ? [] : [script])].filter((path) => isAbsolute(path) && pathExists(path));
}

interface Interpreter {
  /** Options after which no script follows. */
  readonly inline: RegExp;
  /** Options whose value is a word of its own. */
  readonly valued: RegExp;
}

const shell: Interpreter = { inline: /^-\w*[cs]/, valued: /^(?:[-+]\w*[oO]|--rcfile|--init-file)$/ };
const interpreters: readonly (readonly [RegExp, Interpreter])[] = [
  [/^(?:ba|da|k|z|a)?sh$/, shell],
  [
    /^node(?:js)?$/,
    {
      inline: /^(?:-e|-p|-pe|--eval|--print|-)$/,
      valued: /^(?:-r|--require|--import|--loader|--experimental-loader|-C|--conditions)$/,
    },
  ],
  [/^python[\d.]*$/, { inline: /^-\w*[cm]$|^-$/, valued: /^-[WX]$/ }],
  [/^(?:perl|ruby)[\d.]*$/, { inline: /^-\w*e$|^-$/, valued: /^-[Ir]$/ }],
  [/^(?:bun|tsx)$/, { inline: /^(?:-e|-p|--eval|--print)$/, valued: /^(?:-r|--require|--preload)$/ }],
];

/** The script an interpreter is given, or null: it isn't one, or the script is one of its arguments. */
function scriptOf(name: string, words: readonly string[]): string | null {
  const interpreter = interpreters.find(([pattern]) => pattern.test(name))?.[1];
  if (name === 'env') return scriptBehindEnv(words);
  if (interpreter === undefined) return null;
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (interpreter.inline.test(word)) return null;
    if (interpreter.valued.test(word)) at += 1;
    else if (word === '--') return words[at + 1] ?? null;
    else if (!/^[-+]/.test(word)) return word;
  }
  return null;
}

/** `env A=b node x.js`: what env starts is found by its name. */
function scriptBehindEnv(words: readonly string[]): string | null {
  const at = words.findIndex((word) => !word.startsWith('-') && !/^\w+=/.test(word));
  const program = words[at] ?? '';
  return at < 0 || basename(program) === 'env' ? null : scriptOf(basename(program), words.slice(at + 1));
}

/** A catalog of models is less than a megabyte. */
const longestOutput = 8 * 1024 * 1024;

interface ProgramOutput {
  readonly stdout: string;
  readonly stderr: string;
  /** It was ended because it did not end by itself. */
  readonly timedOut: boolean;
}

/** Runs an adapter's program, as resolveAdapterCommand found it, in a cell of its own without any network. Throws nothing of its own. */
export async function runAdapterProgram(
  context: RunnerContext,
  command: readonly string[],
  args: readonly string[],
): Promise<ProgramOutput> {
  const [stdout, stderr] = [createTailBuffer(longestOutput), createTailBuffer(16_384)];
  const { isLate } = await withRunFolder(context, 'check', (name, folder) =>
    runInHomeCell(context, {
      name,
      folder,
      programs: listProgramFiles(command),
      argv: [...command, ...args],
      onStdout: stdout.push,
      onStderr: stderr.push,
    }),
  );
  return { stdout: stdout.text(), stderr: stderr.text(), timedOut: isLate };
}
