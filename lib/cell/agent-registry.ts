import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import type { LiveAgent } from '../domain/agent-port.ts';
import { roleSchema } from '../domain/role.ts';
import { killPoint } from '../util/kill-point.ts';
import { processStart } from '../util/process-identity.ts';
import { runRoot } from './run-folder.ts';

const registrationSchema = z.object({
  id: z.string(),
  role: roleSchema,
  task_id: z.string().nullable(),
  pid: z.int().positive(),
  /** When the process started: a pid alone is used again. */
  pid_start: z.string().nullable(),
  started_at: z.string(),
  worktree: z.string(),
  cost_usd: z.number(),
  tokens: z.number(),
});
export type Registration = Readonly<z.infer<typeof registrationSchema>>;

const fileName = 'agent.json';

/** Writes an agent's registration into its run folder, whole or not at all. */
export function writeRegistration(folder: string, registration: Registration): void {
  const file = join(folder, fileName);
  writeFileSync(`${file}.new`, `${JSON.stringify(registration)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
  killPoint('agent registered');
}

/** Registered agents whose process still lives: also those of other processes, and of one that was killed. */
export function readLiveAgents(commonDir: string): LiveAgent[] {
  return listFolders(runRoot(commonDir))
    .flatMap((folder) => readRegistration(join(folder, fileName)))
    .filter(({ pid, pid_start }) => pid_start !== null && processStart(pid) === pid_start)
    .map(({ id, role, task_id, pid, started_at, cost_usd, tokens }) => ({
      ...{ id, role, task_id, pid, started_at, cost_usd, tokens },
    }));
}

function readRegistration(file: string): Registration[] {
  try {
    const parsed = registrationSchema.safeParse(JSON.parse(readFileSync(file, 'utf8')));
    return parsed.success ? [parsed.data] : [];
  } catch {
    return [];
  }
}

function listFolders(folder: string): string[] {
  try {
    return readdirSync(folder).map((name) => join(folder, name));
  } catch {
    return [];
  }
}
