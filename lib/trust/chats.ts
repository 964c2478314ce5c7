import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ownIdentity, parseIdentity, processState, readStat } from '../util/process-identity.ts';
import { readTextOrEmpty } from '../util/read-file.ts';

// Chats whose models call our tools. Such a model often has a shell of the person's too, and what is typed there looks
// like the person's own command.

interface Clone {
  /** The common git directory, absolute. */
  readonly commonDir: string;
}

/** Notes that this process serves a chat, until what is returned is called; nothing where that can't be written. */
export function noteChat({ commonDir }: Clone, name: string): () => void {
  const file = join(chatFolder(commonDir), name);
  try {
    mkdirSync(chatFolder(commonDir), { recursive: true });
    writeFileSync(file, JSON.stringify(ownIdentity()), { mode: 0o600 });
  } catch {
    return () => undefined;
  }
  return () => rmSync(file, { force: true });
}

/** What agent CLIs set for the commands that they run. */
const marks = ['CLAUDECODE', 'CODEX_THREAD_ID', 'GEMINI_CLI', 'OPENCODE'];

/**
 * The chat that this process was started by, in words: its CLI is among those that started it, or left its mark in the
 * environment. null: none, or no chat is connected to this clone; for a chat's own server too.
 */
export function chatAround({
  commonDir,
  env,
}: Clone & { readonly env: Readonly<Record<string, string | undefined>> }): string | null {
  const servers = connectedServers(commonDir);
  if (servers.length === 0 || servers.includes(process.pid)) return null;
  const above = new Set(ancestorsOf(process.pid));
  const client = servers.map(clientOf).find((pid) => pid !== null && above.has(pid));
  if (client !== undefined && client !== null) return `process ${client} (${nameOf(client)})`;
  const mark = marks.find((name) => (env[name] ?? '') !== '');
  return mark === undefined ? null : `an agent's shell (${mark} is set)`;
}

/** Their processes; what dead ones left is removed. */
function connectedServers(commonDir: string): readonly number[] {
  const folder = chatFolder(commonDir);
  return namesIn(folder).flatMap((name) => {
    const server = parseIdentity(readTextOrEmpty(join(folder, name)));
    const state = server === null ? 'gone' : processState(server);
    if (state === 'gone') rmSync(join(folder, name), { force: true });
    return server !== null && (state === 'alive' || state === 'own') ? [server.pid] : [];
  });
}

/** Who started a server: git stands between. */
function clientOf(server: number): number | null {
  return ancestorsOf(server).find((pid) => nameOf(pid) !== 'git') ?? null;
}

/** Who started a process, and who started that, up to the first of all, which started everything. */
function ancestorsOf(pid: number): readonly number[] {
  const found: number[] = [];
  for (let parent = readStat(pid)?.parent ?? 0; parent > 1; parent = readStat(parent)?.parent ?? 0)
    found.push(parent);
  return found;
}

function nameOf(pid: number): string {
  return readTextOrEmpty(`/proc/${pid}/comm`).trim();
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function chatFolder(commonDir: string): string {
  return join(commonDir, 'blueflame', 'chats');
}
