import { FlameError } from '../../domain/flame-error.ts';
import type { Adapter } from '../../domain/ports/adapter.ts';
import type { RunnerContext } from '../runner-context.ts';
import { askProgram, programPatienceMs } from './ask-program.ts';
import { isInstalled, withOtherClis } from './ready-clis.ts';
import { agentMissing, notFound, resolveCommand } from './resolve-command.ts';

/**
 * Asks an adapter's program for its version, in a cell. Throws FlameError `agent-missing` (not there, or not
 * this program), `agent-too-old` or `agent-unprepared`. `unknown` where any version will do and none could be read.
 */
export async function checkAdapter(context: RunnerContext, name: string): Promise<string> {
  const adapter = context.adapters(name);
  if (!isInstalled(context, adapter)) throw withOtherClis(context, name, notFound(adapter));
  const command = resolveCommand(context, adapter);
  const { stdout, stderr, timedOut } = await askProgram(context, command, adapter.version.args);
  const output = `${stdout}${stderr}`;
  const version = adapter.version.parse(output);
  const { minimum } = adapter.version;
  if (version === null) {
    if (minimum === null) return 'unknown';
    throw notThisProgram(adapter, command[0] ?? '', { output, timedOut });
  }
  if (minimum !== null && compareVersions(version, minimum) < 0) throw tooOld(adapter, version, minimum);
  await context.prepared(adapter);
  return version;
}

/** Negative, 0 or positive; parts that are missing count as 0. */
export function compareVersions(left: string, right: string): number {
  const [a, b] = [left, right].map((text) => text.split('.').map((part) => Number.parseInt(part, 10) || 0));
  const length = Math.max(a?.length ?? 0, b?.length ?? 0);
  for (let index = 0; index < length; index += 1) {
    const difference = (a?.[index] ?? 0) - (b?.[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

function notThisProgram(
  adapter: Adapter,
  program: string,
  { output, timedOut }: { readonly output: string; readonly timedOut: boolean },
): FlameError {
  const message = timedOut
    ? `${program} did not say its version within ${programPatienceMs / 1_000} s, so adapter ${adapter.name} can't use it.`
    : `${program} did not say its version, so it is not what adapter ${adapter.name} needs.`;
  const details = output.trim().split('\n').slice(-5);
  // A script that starts the program proper, which lies where no cell looks.
  const isWrapper = /no such file or directory|not found|cannot find module/i.test(output);
  const hint =
    'Show agents the folder of the program that it starts, in .blueflame.yml: sandbox: { read_paths: [FOLDER] }';
  return agentMissing(adapter, program, message, isWrapper ? { details, hint } : { details });
}

function tooOld(adapter: Adapter, version: string, minimum: string): FlameError {
  return new FlameError({
    kind: 'environment',
    code: 'agent-too-old',
    message: `Adapter ${adapter.name} needs version ${minimum} or newer; version ${version} was found.`,
    hints: [adapter.version.install],
    data: { adapter: adapter.name, version, minimum },
  });
}
