import { isAbsolute } from 'node:path';
import type { Adapter } from '../domain/adapter.ts';
import { FlameError } from '../domain/flame-error.ts';
import type { RunnerContext } from './runner-context.ts';
import { findProgram, isThere } from './tool-paths.ts';

/** An adapter's command with its program's absolute path. Throws FlameError `agent-missing`. */
export function resolveCommand(context: RunnerContext, adapter: Adapter): string[] {
  const [program = '', ...args] = adapter.command;
  const base = context.repository.mainWorkTree ?? context.repository.commonDir;
  const found = findProgram(program, context.searchFolders, base);
  if (found === null) {
    throw new FlameError({
      kind: 'environment',
      code: 'agent-missing',
      message: `The program of adapter ${adapter.name} was not found: ${program}.`,
      hints: [adapter.version.install],
      data: { adapter: adapter.name, program },
    });
  }
  return [found, ...args];
}

/** The files among a command's words: they must be seen where it runs. */
export function filesOf(command: readonly string[]): string[] {
  return command.filter((word) => isAbsolute(word) && isThere(word));
}
