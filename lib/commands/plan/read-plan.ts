import { resolve } from 'node:path';
import { readPlanFile } from '../../config/plan-file.ts';
import type { Io } from '../../domain/shown/command.ts';
import type { Plan } from '../../domain/state/plan.ts';
import { readNamedFile } from '../open/open-gates.ts';
import { readAll } from '../open/read-all.ts';

/** The plan that `--from` names; `-` is standard input. Throws FlameErrors `no-such-file`, `bad-plan`. */
export async function readPlan(from: string, io: Io): Promise<Plan> {
  if (from === '-') return readPlanFile(await readAll(io.stdin), planSource(from));
  const file = resolve(io.cwd, from);
  return readPlanFile(await readNamedFile(file), file);
}

/** The source that `--from` names, for a person to read. */
export function planSource(from: string): string {
  return from === '-' ? 'standard input' : from;
}
