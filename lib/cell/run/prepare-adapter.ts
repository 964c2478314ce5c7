import { FlameError } from '../../domain/flame-error.ts';
import type { Adapter } from '../../domain/ports/adapter.ts';
import type { RunnerContext } from '../runner-context.ts';
import { askProgram } from './ask-program.ts';
import { resolveCommand } from './resolve-command.ts';

/**
 * What an adapter's agents are started with beside their request; null where it needs nothing. Throws FlameError
 * `agent-missing`, or `agent-unprepared` where the program doesn't say what is needed.
 */
export async function prepareAdapter(context: RunnerContext, adapter: Adapter): Promise<string | null> {
  const { preparation } = adapter;
  if (preparation === null) return null;
  const command = resolveCommand(context, adapter);
  const { stdout, stderr } = await askProgram(context, command, preparation.args);
  const prepared = preparation.read(stdout);
  if (prepared !== null) return prepared;
  const asked = [...command.slice(0, 1), ...preparation.args].join(' ');
  throw new FlameError({
    kind: 'environment',
    code: 'agent-unprepared',
    message: `Adapter ${adapter.name} can't be used: \`${asked}\` did not print what its agents are started with.`,
    details: stderr.trim().split('\n').slice(-5),
    hints: [adapter.version.install],
    data: { adapter: adapter.name },
  });
}
