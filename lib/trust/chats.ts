import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { ownIdentity, parseIdentity, processState } from '../util/process-identity.ts';
import { ancestorsOf, readProcess, type TreeProcess } from '../util/process-tree.ts';
import { readTextOrEmpty } from '../util/read-file.ts';

// Chats whose models call our tools. Such a model often has a shell of the person's too, and what is typed there looks
// like the person's own command.

interface Clone {
  /** The common git directory, absolute. */
  readonly commonDir: string;
}

/** How often a server says that it is still there. */
const renewMs = 60_000;
/**
 * After so long without a word one counts as gone whose process can't be looked for here: long enough for a clock of
 * another machine, and for one that was asleep to be asked again.
 */
const silentMs = 3_600_000;

/** Notes that this process serves a chat, until what is returned is called; nothing where that can't be written. */
export function noteChat({ commonDir }: Clone, name: string, renewsMs = renewMs): () => void {
  const file = join(chatFolder(commonDir), name);
  const write = (): void => {
    mkdirSync(chatFolder(commonDir), { recursive: true });
    writeFileSync(file, JSON.stringify(ownIdentity()), { mode: 0o600 });
  };
  try {
    write();
  } catch {
    return () => undefined;
  }
  const renewing = setInterval(() => {
    try {
      write();
    } catch {
      // The disk is full, or the clone is gone: the next time, then.
    }
  }, renewsMs);
  renewing.unref();
  return () => {
    clearInterval(renewing);
    rmSync(file, { force: true });
  };
}

/** What agent CLIs set for the commands that they run. */
const marks = ['CLAUDECODE', 'CODEX_THREAD_ID', 'GEMINI_CLI', 'OPENCODE', 'COPILOT_CLI'];

/**
 * The chat that a process, this one by default, was started by, in words: its CLI is among those that started it, or left its mark in the
 * environment. null: none, or no chat is connected to this clone; for a chat's own server too.
 */
export function chatAround({
  commonDir,
  env,
  pid: asked = process.pid,
}: Clone & {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly pid?: number;
}): string | null {
  const servers = connectedServers(commonDir);
  if (servers.length === 0 || servers.some(({ pid }) => pid === asked)) return null;
  const above = new Set(ancestorsOf(asked));
  const clients = servers.map(({ pid }) => (pid === null ? null : clientOf(pid)));
  const client = clients.find((pid) => pid !== null && above.has(pid)) ?? null;
  if (client !== null) return `process ${client} (${readProcess(client)?.name ?? ''})`;
  const mark = marks.find((name) => (env[name] ?? '') !== '');
  return mark === undefined ? null : `an agent's shell (${mark} is set)`;
}

interface Server {
  /** null: in another container or on another machine, where its pid means nothing here. */
  readonly pid: number | null;
}

/** What dead ones left is removed. */
function connectedServers(commonDir: string): readonly Server[] {
  const folder = chatFolder(commonDir);
  return namesIn(folder).flatMap((name) => {
    const server = parseIdentity(readTextOrEmpty(join(folder, name)));
    const state = server === null ? 'gone' : processState(server);
    const isGone = state === 'gone' || (state === 'unknown' && isSilent(join(folder, name)));
    if (server !== null && !isGone) return [{ pid: state === 'unknown' ? null : server.pid }];
    rmSync(join(folder, name), { force: true });
    return [];
  });
}

function isSilent(file: string): boolean {
  const { mtimeMs = 0 } = statSync(file, { throwIfNoEntry: false }) ?? {};
  return Date.now() - mtimeMs > silentMs;
}

/** Who started a server: git stands between, and what the client started it with. */
function clientOf(server: number): number | null {
  const isClient = (pid: number): boolean => {
    const found = readProcess(pid);
    return found !== null && !standsBetween(found);
  };
  return ancestorsOf(server).find(isClient) ?? null;
}

const shells = new Set(['sh', 'dash', 'ash', 'bash', 'zsh', 'ksh', 'fish']);

/** Whether a process does nothing but start another. A shell without a command of its own is where a person types. */
export function standsBetween({ name, words: [first = '', ...rest] }: Omit<TreeProcess, 'parent'>): boolean {
  if (name === 'git') return true;
  const program = basename(first);
  if (program === 'npm') return rest[0] === 'exec';
  const end = rest.findIndex((word) => !word.startsWith('-'));
  return shells.has(program) && rest.slice(0, Math.max(end, 0)).some((word) => /^-[a-z]*c$/.test(word));
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
