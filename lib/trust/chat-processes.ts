import { mkdirSync, readlinkSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { modelCliNames } from '../domain/config/known-clis.ts';
import {
  listAncestorsOfProcess,
  readEnvironment,
  readProcess,
  readProgramOfProcess,
  type TreeProcess,
} from '../util/process-ancestors.ts';
import {
  listProcesses,
  type ProcessIdentity,
  parseIdentity,
  processState,
  readProcessIdentity,
  readProcessStart,
  readStat,
} from '../util/process-identity.ts';
import { listNamesIn, readPlainText, readTextOrEmpty } from '../util/read-file.ts';
import { cloneStateDir } from '../util/user-folders.ts';
import type { CloneAndEnv } from './clone-folders.ts';

// A command that an agent types looks like the person's own: it runs in the person's shell. An agent is recognised by
// the variables of its CLI, by its CLI among a process's ancestors, and by having had `git flame mcp` beside it.

/** Clones this process made itself, as a demonstration does: nothing there is a person's. */
const ownClones = new Set<string>();

/** Decisions about this clone, which this process made to throw it away, are no person's. */
export function allowDecisionsInOwnClone({ commonDir }: Pick<CloneAndEnv, 'commonDir'>): void {
  ownClones.add(realpathSync(commonDir));
}

/** Whether this process is what a chat calls the tools of. */
let isServing = false;

/**
 * Notes that this process serves a chat: what started it is an agent for as long as it lives, also when the server is
 * gone. Kept where the person's decisions are; where that can't be written, the processes that are seen have to do.
 */
export function registerChat({ commonDir, env }: CloneAndEnv): void {
  isServing = true;
  const client = clientOf(process.pid);
  const identity = client === null ? null : readProcessIdentity(client);
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
export function rememberConnectedChats(clone: CloneAndEnv): void {
  for (const { pid, start } of [...notedClients(clone), ...servedClients()]) seen.add(`${pid} ${start}`);
}

/**
 * Describes the agent that started a process, this one by default; null: none. For a chat's own server it is the agent
 * whose shell that chat itself was started in. A process that left its parents, its session and its environment behind
 * can't be distinguished from a person's.
 */
export function findStartingAgent({
  commonDir,
  env,
  pid: asked,
}: CloneAndEnv & { readonly pid?: number }): string | null {
  const isServer = asked === undefined && isServing;
  const pid = isServer ? clientOf(process.pid) : (asked ?? process.pid);
  if (pid === null || ownClones.has(realpathSync(commonDir))) return null;
  rememberConnectedChats({ commonDir, env });
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
  return seen.has(`${pid} ${readProcessStart(pid)}`) || isAgentProgram(found, readProgramOfProcess(pid));
}

/**
 * Lists the processes that started a process. Where a parent ended, as of a process put into the background twice, its
 * session still shows who began that, and which command has its terminal.
 */
function startersOf(pid: number): readonly number[] {
  const above = listAncestorsOfProcess(pid);
  const { session = 0, foreground = 0 } = readStat(pid) ?? {};
  if (session <= 1 || session === pid || above.includes(session)) return above;
  const others = [session, foreground].filter((one) => one > 1 && one !== pid);
  return [...above, ...others.flatMap((one) => [one, ...listAncestorsOfProcess(one)])];
}

/** Removes the notes of dead ones. */
function notedClients(clone: CloneAndEnv): readonly ProcessIdentity[] {
  const folder = chatFolder(clone);
  return listNamesIn(folder).flatMap((name) => {
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
  return [...new Set(clients)].flatMap((pid) => (pid === null ? [] : (readProcessIdentity(pid) ?? [])));
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
  for (const pid of listAncestorsOfProcess(server)) {
    const found = readProcess(pid);
    if (isAdopted(started, pid) || (found !== null && isInteractiveShell(found))) return null;
    if (found !== null && !isWrapperProcess(found)) return pid;
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

function chatFolder({ commonDir, env }: CloneAndEnv): string {
  return join(cloneStateDir(env, commonDir), 'chats');
}

// How an agent CLI, and what its model types, is recognised among the processes of a machine.

/** Variables that agent CLIs set for the commands they run; Kimi alone sets none. */
const marks = [
  'CLAUDECODE',
  'CODEX_THREAD_ID',
  'GEMINI_CLI',
  'OPENCODE',
  'COPILOT_CLI',
  'COPILOT_AGENT_SESSION_ID',
  'QWEN_CODE',
  'CURSOR_AGENT',
  // The name that several have agreed on.
  'AI_AGENT',
];

/** The variable by which an agent CLI marks what it starts; null: there is none. */
function agentMark(env: Readonly<Record<string, string | undefined>>): string | null {
  return marks.find((name) => (env[name] ?? '') !== '') ?? null;
}

const programs = new Set<string>(modelCliNames);
/** Folders where npm and the CLIs' own installers put them; their programs have names of all kinds there. */
const folders =
  /(?:^|\/)(?:@anthropic-ai\/claude-code|@openai\/codex|opencode(?:-ai|-(?:linux|darwin)[^/]*)|@google\/gemini-cli|@moonshot-ai\/kimi-code|@github\/copilot|claude\/versions)(?=[-@/])/;
/** They run scripts, whose name is the program's. */
const interpreters = /^(?:node[\d.]*|nodejs|bun|deno|python[\d.]*|MainThread|node-MainThread)$/;

/** Whether a process is an agent CLI, also one that node, bun or python runs. `program`: the file it runs. */
export function isAgentProgram({ name, words }: Omit<TreeProcess, 'parent'>, program = ''): boolean {
  const [first = ''] = words;
  const isRun = [name, basename(first), basename(program)].some((one) => interpreters.test(one));
  const script = isRun ? scriptsIn(words) : [];
  return [name, first, program, ...script].some((one) => programs.has(stem(one)) || folders.test(one));
}

/** Words that may be the script: a value of an option looks like it. */
function scriptsIn([, ...words]: readonly string[]): readonly string[] {
  const first = words.findIndex((word, at) => !word.startsWith('-') && !/^-[a-z-]+$/.test(words[at - 1] ?? ''));
  return words.slice(0, first === -1 ? words.length : first + 1).filter((word) => !word.startsWith('-'));
}

function stem(path: string): string {
  return basename(path).replace(/\.(?:[cm]?js|py|exe)$/, '');
}

const shells = new Set(['sh', 'dash', 'ash', 'bash', 'zsh', 'ksh', 'fish']);

/** Whether a process does nothing but start another. */
export function isWrapperProcess({ name, words }: Omit<TreeProcess, 'parent'>): boolean {
  const [first = '', second = ''] = words;
  if (name === 'git') return true;
  if (basename(first) === 'npm') return second === 'exec';
  return isShell({ words }) && !isInteractiveShell({ words });
}

/** Whether a shell is one where a person types: it has neither a command nor a script. */
export function isInteractiveShell({ words }: Pick<TreeProcess, 'words'>): boolean {
  if (!isShell({ words })) return false;
  const [, ...rest] = words;
  if (rest.some((word) => /^-[a-z]*i[a-z]*$/.test(word) || word === '--interactive')) return true;
  return rest.every((word) => word.startsWith('-') && !/^-[a-z]*c$/.test(word));
}

function isShell({ words: [first = ''] }: Pick<TreeProcess, 'words'>): boolean {
  return shells.has(basename(first).replace(/^-/, ''));
}
