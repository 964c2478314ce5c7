import { mkdirSync, readlinkSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { cloneStateDir } from '../util/own-folders.ts';
import {
  identityOf,
  listProcesses,
  type ProcessIdentity,
  parseIdentity,
  processStart,
  processState,
  readStat,
} from '../util/process-identity.ts';
import { ancestorsOf, programOf, readEnvironment, readProcess } from '../util/process-tree.ts';
import { namesIn, readPlainText, readTextOrEmpty } from '../util/read-file.ts';
import { agentMark, isAgentProgram, isTypedIn, standsBetween } from './agent-programs.ts';

// A command that an agent types looks like the person's own: it runs in the person's shell. An agent is recognised by
// the variables of its CLI, by its CLI among a process's ancestors, and by having had `git flame mcp` beside it.

interface Clone {
  /** The common git directory, absolute. */
  readonly commonDir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Clones this process made itself, as a demonstration does: nothing there is a person's. */
const ownClones = new Set<string>();

/** Decisions about this clone, which this process made to throw it away, are no person's. */
export function decideFreely({ commonDir }: Pick<Clone, 'commonDir'>): void {
  ownClones.add(realpathSync(commonDir));
}

/** Whether this process is what a chat calls the tools of. */
let isServing = false;

/**
 * Notes that this process serves a chat: what started it is an agent for as long as it lives, also when the server is
 * gone. Kept where the person's decisions are; where that can't be written, the processes that are seen have to do.
 */
export function noteChat({ commonDir, env }: Clone): void {
  isServing = true;
  const client = clientOf(process.pid);
  const identity = client === null ? null : identityOf(client);
  if (identity === null) return;
  try {
    const folder = chatFolder({ commonDir, env });
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(join(folder, `${identity.pid}-${process.pid}`), JSON.stringify(identity), {
      mode: 0o600,
      flag: 'wx',
    });
  } catch {
    // The disk is full, or it is noted already.
  }
}

/** Chats that this process has seen, by `pid start`: it knows them when what named them is gone. */
const seen = new Set<string>();

/** Sees which chats are connected now, for when this process is asked. */
export function rememberChats(clone: Clone): void {
  for (const { pid, start } of [...notedClients(clone), ...servedClients()]) seen.add(`${pid} ${start}`);
}

/**
 * Describes the agent that started a process, this one by default; null: none. For a chat's own server it is the agent
 * whose shell that chat itself was started in. A process that left its parents, its session and its environment behind
 * can't be distinguished from a person's.
 */
export function chatAround({ commonDir, env, pid: asked }: Clone & { readonly pid?: number }): string | null {
  const isServer = asked === undefined && isServing;
  const pid = isServer ? clientOf(process.pid) : (asked ?? process.pid);
  if (pid === null || ownClones.has(realpathSync(commonDir))) return null;
  rememberChats({ commonDir, env });
  const starters = startersOf(pid);
  const [first = 0] = starters;
  // The npm package of a CLI starts the CLI itself.
  const above = isServer && first !== 0 && isAgent(first) ? starters.slice(1) : starters;
  const agent = [...(asked === undefined ? [] : [pid]), ...above].find(isAgent);
  if (agent !== undefined) return `process ${agent} (${readProcess(agent)?.name ?? ''})`;
  const own = asked === undefined && !isServer ? env : {};
  const mark = [own, ...[pid, ...above].map(readEnvironment)].map(agentMark).find((one) => one !== null);
  return mark === undefined || mark === null ? null : `an agent's shell (${mark} is set)`;
}

function isAgent(pid: number): boolean {
  const found = readProcess(pid);
  if (found === null) return false;
  return seen.has(`${pid} ${processStart(pid)}`) || isAgentProgram(found, programOf(pid));
}

/**
 * Lists the processes that started a process. Where a parent ended, as of a process put into the background twice, its
 * session still shows who began that, and which command has its terminal.
 */
function startersOf(pid: number): readonly number[] {
  const above = ancestorsOf(pid);
  const { session = 0, foreground = 0 } = readStat(pid) ?? {};
  if (session <= 1 || session === pid || above.includes(session)) return above;
  const others = [session, foreground].filter((one) => one > 1 && one !== pid);
  return [...above, ...others.flatMap((one) => [one, ...ancestorsOf(one)])];
}

/** Removes the notes of dead ones. */
function notedClients(clone: Clone): readonly ProcessIdentity[] {
  const folder = chatFolder(clone);
  return namesIn(folder).flatMap((name) => {
    const client = parseIdentity(readPlainText(join(folder, name), { most: 10_000 }));
    const state = client === null ? 'gone' : processState(client);
    if (client !== null && (state === 'alive' || state === 'own')) return [client];
    if (state === 'gone') rmSync(join(folder, name), { force: true, recursive: true });
    return [];
  });
}

/** Clients of the servers among all processes. */
function servedClients(): readonly ProcessIdentity[] {
  const clients = listProcesses().filter(isServer).map(clientOf);
  return [...new Set(clients)].flatMap((pid) => (pid === null ? [] : (identityOf(pid) ?? [])));
}

function isServer(pid: number): boolean {
  // For most processes no more is read, since all of them are looked at often.
  if (!readTextOrEmpty(`/proc/${pid}/cmdline`).includes('git-flame')) return false;
  const words = readProcess(pid)?.words ?? [];
  const program = words.findIndex((word) => basename(word) === 'git-flame');
  return program !== -1 && words[program + 1] === 'mcp' && !isAtTerminal(pid);
}

/** Whether a person typed it, to see what it is. */
function isAtTerminal(pid: number): boolean {
  try {
    return /^\/dev\/(?:pts\/|tty)/.test(readlinkSync(`/proc/${pid}/fd/0`));
  } catch {
    return true;
  }
}

/** Finds the client of a server, past git and other programs in between. null: a person, in a shell. */
function clientOf(server: number): number | null {
  let started = server;
  for (const pid of ancestorsOf(server)) {
    const found = readProcess(pid);
    if (isAdopted(started, pid) || (found !== null && isTypedIn(found))) return null;
    if (found !== null && !standsBetween(found)) return pid;
    started = pid;
  }
  return null;
}

/**
 * Whether a process has its parent because the one that started it is gone: a service manager takes such in, and it
 * started everything else of the person's too. What a process starts is of its session, or begins one.
 */
function isAdopted(pid: number, parent: number): boolean {
  const [own, above] = [readStat(pid)?.session, readStat(parent)?.session];
  return own !== undefined && above !== undefined && own !== pid && own !== above;
}

function chatFolder({ commonDir, env }: Clone): string {
  return join(cloneStateDir(env, commonDir), 'chats');
}
