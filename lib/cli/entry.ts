import { statSync } from 'node:fs';
import { join } from 'node:path';
import { closeInheritedDescriptors } from '../util/close-inherited.ts';

declare const FLAME_VERSION: string;
/** The script beside this one that is the program. */
declare const FLAME_PROGRAM: string;
declare const __dirname: string;

/** Commands that compile most of the shared code: after one of them the compiled code is kept. */
const warmingCommands = new Set(['log', 'resume', 'run', 'show', 'status', 'task']);

/** Starts the program. Answers `--version` itself, so that it costs no more than starting node. */
export function start(): void {
  const words = process.argv.slice(2);
  if (words[0] === '--version' || words[0] === '-v') {
    process.stdout.write(`git-flame ${FLAME_VERSION}\n`);
    return;
  }
  process.exitCode = 1;
  const { TMPDIR } = process.env;
  // Ignores a TMPDIR that is not a folder, as tempnam(3) does.
  if (TMPDIR !== undefined && statSync(TMPDIR, { throwIfNoEntry: false })?.isDirectory() !== true)
    Reflect.deleteProperty(process.env, 'TMPDIR');
  process.argv.splice(2, words.length, ...closeInheritedDescriptors(words));
  // New files are usable by their owner and not writable by others; the rest of the person's own mask stays.
  process.umask((process.umask() & 0o077) | 0o002);
  void runProgram(words);
}

async function runProgram(words: readonly string[]): Promise<void> {
  const { loadProgram } = await import('./load-program.ts');
  const { exports, keepCompiled } = loadProgram(join(__dirname, FLAME_PROGRAM));
  // The build makes it of that file.
  await (exports as typeof import('./main.ts')).runProcess();
  if (process.exitCode === 0 && words.some((word) => warmingCommands.has(word))) keepCompiled();
}
