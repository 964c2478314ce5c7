import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { FlameError } from '../../domain/flame-error.ts';
import type { Adapter, UnpackedFacts } from '../../domain/ports/adapter.ts';
import type { RunnerContext } from '../runner-context.ts';
import { askProgram } from './ask-program.ts';
import { resolveCommand } from './resolve-command.ts';

/**
 * Prepares what an adapter's agents are started with beside their request; null where it needs nothing. Throws
 * FlameError `agent-missing`, or `agent-unprepared` where the program doesn't report its needs, or never unpacked them.
 */
export async function prepareAdapter(context: RunnerContext, adapter: Adapter): Promise<string | null> {
  const { preparation } = adapter;
  if (preparation === null) return null;
  const command = resolveCommand(context, adapter);
  const { stdout, stderr } = await askProgram(context, command, preparation.args);
  const prepared = preparation.read(stdout);
  const asked = [...command, ...preparation.args].join(' ');
  if (prepared === null)
    throw unprepared(adapter, {
      message: `\`${asked}\` did not print what its agents are started with.`,
      details: stderr.trim().split('\n').slice(-5),
      hint: adapter.version.install,
    });
  const { unpacked } = preparation;
  if (unpacked === undefined) return prepared;
  const place = placeOf(context, unpacked);
  if (place !== null && isUnpacked(join(place, unpacked.folder), prepared, unpacked)) return place;
  throw unprepared(adapter, {
    message: `version ${prepared} has not unpacked its files into ${place ?? 'a folder'} yet, and in a cell it can't.`,
    details: ['Its agents see that folder, and can only read it.'],
    hint: [...adapter.command, ...unpacked.unpack].join(' '),
  });
}

/** Returns the folder where the person's program keeps what it unpacked; null where no variable names one. */
function placeOf({ env }: Pick<RunnerContext, 'env'>, { places }: UnpackedFacts): string | null {
  const found = places.find(([variable]) => env[variable]);
  return found === undefined ? null : join(env[found[0]] ?? '', found[1]);
}

function isUnpacked(folder: string, version: string, { sign }: UnpackedFacts): boolean {
  if (!existsSync(folder)) return false;
  return readdirSync(folder).some((kind) => existsSync(join(folder, kind, version, sign)));
}

function unprepared(
  { name }: Adapter,
  {
    message,
    details,
    hint,
  }: { readonly message: string; readonly details: readonly string[]; readonly hint: string },
): FlameError {
  return new FlameError({
    kind: 'environment',
    code: 'agent-unprepared',
    message: `Adapter ${name} can't be used: ${message}`,
    details,
    hints: [hint],
    data: { adapter: name },
  });
}
