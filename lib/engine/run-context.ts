import { dirname, join, resolve } from 'node:path';
import type { Config } from '../domain/config/config-schema.ts';
import type { AgentId, SessionId } from '../domain/ids.ts';
import type { Adapter } from '../domain/ports/adapter.ts';
import type { AgentRunner } from '../domain/ports/agent-port.ts';
import type { Gates } from '../domain/ports/gates.ts';
import type { GitPort } from '../domain/ports/git-port.ts';
import type { PromptRenderer } from '../domain/ports/prompt-port.ts';
import type { RemoteSession } from '../domain/ports/sharing-port.ts';
import type { TrustedStore } from '../domain/ports/store-port.ts';
import type { Role } from '../domain/role.ts';
import type { DecisionLog } from '../domain/state/decision-log.ts';
import type { MemoryProvider } from '../domain/state/memory.ts';
import type { RunEventSink } from '../domain/view-models/run-event.ts';
import type { GracefulStop } from './graceful-stop.ts';
import type { RunMemory } from './run-memory.ts';

/** The facts of an adapter the engine decides by. */
export type AdapterFacts = Pick<
  Adapter,
  'name' | 'commits' | 'apis' | 'calls' | 'end' | 'cannotLead' | 'canTalk' | 'readsByShell' | 'takesAccountShell'
>;

/** See MachinePort. */
export interface TrackedFiles {
  /**
   * Reads the files that were written or replaced since this was called last, of at most 16 MiB each and 64 MiB in all.
   * Links are not followed; folders of packages and those with a dot are left out.
   */
  readNew(): AsyncIterable<{ readonly path: string; readonly text: string }>;
}

/** Resources of the machine. */
export interface MachinePort {
  freeMemoryMb(): number;
  freeDiskMb(path: string): Promise<number>;
  /** Resolves after `ms` of the clock on the wall, or at once when `signal` aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /**
   * Copies or links files matching the globs, and copies those of that name, from one work tree into another, for
   * prepared worktrees. Returns the globs nothing matches.
   */
  prepareFiles(request: {
    readonly from: string;
    readonly to: string;
    readonly copy: readonly string[];
    readonly link: readonly string[];
    readonly files: readonly string[];
    /** Globs of what is not copied but where `copy` names it in full. */
    readonly hidden: readonly string[];
  }): Promise<readonly string[]>;
  /** Remembers the files of a worktree whose names match, to read what is written from now on. */
  trackFiles(request: { readonly worktree: string; matches(name: string): boolean }): Promise<TrackedFiles>;
  /** Whether a folder can be written, made if need be. */
  canWrite(path: string): Promise<boolean>;
  /** Runs one of the person's lifecycle scripts, outside any cell, with the facts as environment and as JSON on stdin. */
  runScript(request: {
    readonly command: string;
    readonly cwd: string;
    readonly timeoutMs: number;
    readonly facts: Readonly<Record<string, unknown>>;
    /** Aborted when the reason for it is over: ends it, with all it started. */
    readonly over?: AbortSignal;
  }): Promise<{ readonly exitCode: number | null; readonly output: string }>;
}

/** Everything the engine works with: the ports, the configuration and the clock. */
export interface RunContext {
  readonly config: Config;
  readonly configDigest: string;
  /** Differences from the configuration of an earlier digest, one line each. */
  readonly configChanges: (from: string) => Promise<readonly string[]>;
  /** The workshop by the configuration as it is now; itself when that hasn't changed. */
  readonly reload: () => Promise<RunContext>;
  readonly git: GitPort;
  readonly store: TrustedStore;
  readonly agents: AgentRunner;
  readonly gates: Gates;
  readonly events: RunEventSink;
  readonly prompts: PromptRenderer;
  readonly machine: MachinePort;
  readonly adapter: (name: string) => AdapterFacts;
  readonly now: () => Date;
  readonly random: () => number;
  readonly newAgentId: (role: Role | 'check') => AgentId;
  readonly newSessionId: () => SessionId;
  /** Memory from session to session. */
  readonly memory: MemoryProvider;
  /** Aborts when the person stops the program. */
  readonly signal: AbortSignal;
  /** Does the work while no other session of this clone lands or brings a work tree along. */
  readonly landInTurn: <T>(work: () => Promise<T>) => Promise<T>;
  /** Place that claims made here name, see cloneName. */
  readonly place: string;
  /** Which decisions were made here; what others decided doesn't count. */
  readonly decided: DecisionLog;
  /** How this machine takes part where several work on the session. */
  readonly remoteSession?: RemoteSession;
  readonly gracefulStop: GracefulStop;
  readonly run: RunMemory;
  /** Proofs that calls of an adapter are checked, by its name, under this configuration; see proveDeniedCallsAreDenied. */
  readonly proofs: Map<string, Promise<void>>;
  /** Results that needn't be found twice, by a key that holds all they depend on. They may be forgotten at any time. */
  readonly trialCache: {
    read(key: string): Promise<string | null>;
    write(key: string, text: string): Promise<void>;
  };
  /** The main work tree. */
  readonly root: string;
}

/** A workshop as far as a function needs it that asks git alone, or one part of it. */
export interface WithGit<Part> {
  readonly git: Part;
}

/** The time as notes store it. */
export function timestamp(context: Pick<RunContext, 'now'>): string {
  return context.now().toISOString();
}

/** Path of an agent's worktree, or the folder of all, which may lie outside the repository. */
export function agentWorktreePath({ root, config }: Pick<RunContext, 'root' | 'config'>, name = ''): string {
  return resolve(root, config.project.worktree_dir ?? besideRoot(root), name);
}

/** Whether a worktree is in the folder of all, or in one that was it by default before. */
export function isInWorktreeFolder(context: Pick<RunContext, 'root' | 'config'>, worktree: string): boolean {
  const { root } = context;
  const folders = [agentWorktreePath(context), besideRoot(root), join(root, '.trees')];
  return folders.includes(dirname(worktree));
}

/** Default folder where nothing is in the way, see chooseDefaultWorktreeDir. */
function besideRoot(root: string): string {
  return `${root}.trees`;
}

type Emitting = Pick<RunContext, 'events'>;

/** Emits a warning: the person should know, and the work goes on. */
export function warn({ events }: Emitting, message: string, details: readonly string[] = []): void {
  events.emit({ event: 'notice', level: 'warning', message, ...(details.length > 0 && { details }) });
}

/** Emits what went as it should, where nothing else shows it. */
export function inform({ events }: Emitting, message: string, details: readonly string[] = []): void {
  events.emit({ event: 'notice', level: 'info', message, ...(details.length > 0 && { details }) });
}

/** Emits a warning once in a run, however many tasks it is true of; `key` where its words may differ. */
export function warnOnce(
  { events, run }: Pick<RunContext, 'events' | 'run'>,
  message: string,
  { details = [], key = message }: { readonly details?: readonly string[]; readonly key?: string } = {},
): void {
  if (run.warned.has(key)) return;
  run.warned.add(key);
  warn({ events }, message, details);
}
