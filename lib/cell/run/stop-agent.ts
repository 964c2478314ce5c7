import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import * as z from 'zod';
import type { StopOrder } from '../../domain/ports/agent-port.ts';
import { processStart } from '../../util/process-identity.ts';
import { descendants, firstInNamespace, processesWith, signal } from '../process-tree.ts';
import { markVariable } from '../sandbox/spawn-cell.ts';
import { findLivingAgent } from './agent-registry.ts';

const fileName = 'stop.json';
const orderSchema = z.object({ by: z.string(), retry: z.boolean() });

/** The time a process gets between SIGTERM and SIGKILL, in milliseconds. */
const defaultGraceMs = 5_000;

/**
 * Ends a living agent, whichever process of this machine runs it, with all it started. The order lies in its run
 * folder first, where the process that runs it reads why its agent ended. Resolves when all are gone; to false
 * where no such agent lives here.
 */
export async function stopAgent(
  commonDir: string,
  id: string,
  order: StopOrder,
  graceMs = defaultGraceMs,
): Promise<boolean> {
  const agent = findLivingAgent(commonDir, id);
  if (agent === null) return false;
  writeStopOrder(agent.folder, order);
  const isAlive = (): boolean => processStart(agent.pid) === agent.start;
  const rest = (): number[] => processesWith(markVariable, id);
  if (isAlive()) for (const pid of insideOf(agent.pid, rest())) signal(pid, 'SIGTERM');
  const until = performance.now() + graceMs;
  while (isAlive() || rest().length > 0) {
    if (performance.now() > until) for (const pid of everyone(agent, rest())) signal(pid, 'SIGKILL');
    await wait(10);
  }
  return true;
}

/** The order in a run folder; null where there is none. */
export function readStopOrder(folder: string): StopOrder | null {
  try {
    return orderSchema.parse(JSON.parse(readFileSync(join(folder, fileName), 'utf8')));
  } catch {
    return null;
  }
}

function writeStopOrder(folder: string, order: StopOrder): void {
  const file = join(folder, fileName);
  writeFileSync(`${file}.new`, JSON.stringify(order), { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

/** Whom SIGTERM reaches: not what holds the cell together, or it would fall on all others at once. */
function insideOf(pid: number, marked: readonly number[]): readonly number[] {
  const tree = [pid, ...descendants(pid)];
  const reaper = firstInNamespace(tree);
  return reaper === null ? [...new Set([...tree, ...marked])] : descendants(reaper);
}

function everyone(
  { pid, start }: { readonly pid: number; readonly start: string },
  marked: readonly number[],
): readonly number[] {
  return processStart(pid) === start ? [pid, ...descendants(pid), ...marked] : marked;
}
