import { statSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import type { LiveAgent, RegisteredAgent } from '../../domain/ports/agent-port.ts';
import { type AgentRunRecord, agentRunSchema } from '../../domain/state/session-schema.ts';
import { addSpending } from '../../domain/state/spending.ts';
import { parseJson } from '../../util/json.ts';
import { killPoint } from '../../util/kill-point.ts';
import { readProcessStart } from '../../util/process-identity.ts';
import { listPathsIn, readTextOrEmpty } from '../../util/read-file.ts';
import { replaceFile } from '../../util/write-files.ts';
import { agentOutputLogFile, runFoldersRoot } from '../run-folder.ts';
import { auditFile } from '../watcher/audit-log.ts';

const ofRun = { id: true, role: true, task_id: true, started_at: true, cost_usd: true, tokens: true } as const;
const registrationSchema = agentRunSchema.pick(ofRun).extend({
  pid: z.int().positive(),
  /** When the process started: a pid alone is used again. */
  pid_start: z.string().nullable(),
  worktree: z.string(),
  /** The most that requests under way may use beyond that. */
  under_way: z.object({ tokens: z.number(), cost_usd: z.number() }).default({ tokens: 0, cost_usd: 0 }),
  session: z.string().nullable().default(null),
  adapter: z.string().default(''),
  activity: z.string().default(''),
});
type Known = Readonly<z.infer<typeof registrationSchema>>;
type Registration = Readonly<z.input<typeof registrationSchema>>;

const fileName = 'agent.json';

/** Writes an agent's registration into its run folder, whole or not at all. */
export function writeRegistration(folder: string, registration: Registration): void {
  const file = join(folder, fileName);
  replaceFile(file, `${JSON.stringify(registration)}\n`, 0o600);
  killPoint('agent registered');
}

/**
 * Reads the spending of a run folder's agent; null where none is registered. A request that was under way when its tool
 * was killed counts as the most that it may have cost: it is paid for, and its cost was never reported.
 */
export function readAgentSpending(
  folder: string,
  now: Date,
): { readonly session: string; readonly run: AgentRunRecord } | null {
  const [known] = readRegistration(join(folder, fileName));
  if (known === undefined || known.session === null) return null;
  const { id, role, task_id, started_at, session } = known;
  const { cost_usd, tokens } = addSpending([known, known.under_way]);
  const ended = { ended_at: now.toISOString(), outcome: 'killed', model: null };
  return { session, run: { id, role, task_id, started_at, cost_usd, tokens, ...ended } };
}

/**
 * Registered agents whose process still lives: also those of other processes, and of one that was killed. With a
 * session: those that work for it.
 */
export function readLiveAgents(commonDir: string, session: string | null = null): LiveAgent[] {
  const isSelected = (owner: string | null): boolean => session === null || owner === null || owner === session;
  const living = livingRegistrations(commonDir).filter(({ registration }) => isSelected(registration.session));
  return living.map(({ registration: { id, role, task_id, pid, started_at, cost_usd, tokens } }) => ({
    id,
    role,
    task_id,
    pid,
    started_at,
    cost_usd,
    tokens,
  }));
}

/** Lists registered agents whose process still lives, with all that is known of each. */
export function readRegisteredAgents(commonDir: string): RegisteredAgent[] {
  return livingRegistrations(commonDir).map(({ registration: { pid_start: _, under_way: __, ...known } }) => ({
    ...known,
    last_activity_at: lastActivity(commonDir, known),
  }));
}

/** A living agent's registration and run folder; null where none of that id lives. */
export function findLivingAgent(
  commonDir: string,
  id: string,
): { readonly folder: string; readonly pid: number; readonly start: string } | null {
  const found = livingRegistrations(commonDir).find(({ registration }) => registration.id === id);
  if (found === undefined || found.registration.pid_start === null) return null;
  return { folder: found.folder, pid: found.registration.pid, start: found.registration.pid_start };
}

function livingRegistrations(commonDir: string): { readonly folder: string; readonly registration: Known }[] {
  return listPathsIn(runFoldersRoot(commonDir))
    .flatMap((folder) => readRegistration(join(folder, fileName)).map((registration) => ({ folder, registration })))
    .filter(({ registration: { pid, pid_start } }) => pid_start !== null && readProcessStart(pid) === pid_start);
}

function lastActivity(commonDir: string, { id, started_at }: Pick<Known, 'id' | 'started_at'>): string {
  const times = [agentOutputLogFile(commonDir, id), auditFile(commonDir, id)].map(
    (file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0,
  );
  const last = Math.max(...times);
  return last === 0 ? started_at : new Date(last).toISOString();
}

function readRegistration(file: string): Known[] {
  const { data } = registrationSchema.safeParse(parseJson(readTextOrEmpty(file)));
  return data === undefined ? [] : [data];
}
