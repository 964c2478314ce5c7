import type { AgentPolicy, CallDecision, PathFacts, ToolCall } from '../domain/agent-policy.ts';
import type { Config } from '../domain/config/config-schema.ts';
import type { Adapter } from '../domain/ports/adapter.ts';
import type { CommandRun } from '../domain/ports/agent-port.ts';
import type { Repository } from '../domain/ports/git-port.ts';

/** The context that all cells of one command share. */
export interface RunnerContext {
  readonly config: Config;
  readonly repository: Repository;
  /** The environment of the person's command: PATH, HOME, and the credential for the model API. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly adapters: (name: string) => Adapter;
  /** Folder of the bundles that run inside cells. */
  readonly distDir: string;
  readonly now: () => Date;
  readonly decide: DecideToolCall;
  readonly limits: CellLimits;
  /** Folders of PATH that exist. */
  readonly searchFolders: readonly string[];
  /** The repository's settings as a cell may see them; see renderGitConfigForCell. Read once. */
  gitConfig(): Promise<string>;
  /** See findVisibleWorkTreePaths; as it was a second ago at most. */
  workTree(): Promise<VisibleWorkTreePaths>;
  /** Tried once. */
  sandbox(): Promise<SandboxCapabilities>;
  /** Tried once. */
  watcher(): Promise<WatcherClient>;
  /** See prepareAdapter; asked once for each adapter. */
  prepared(adapter: Adapter): Promise<string | null>;
  /** The output of shell lines that run once. */
  readonly answers: Map<string, Promise<string>>;
  /** Installs that are under way, by what their outcome is known by: agents that start together wait for one. */
  readonly installs: Map<string, Promise<CommandRun | null>>;
}

/** The parts of the person's own work tree that a cell shows or hides beside the commits; absolute paths. */
export interface VisibleWorkTreePaths {
  /** Shown empty but for links to the worktree's files: the work tree itself, or nothing. */
  readonly covered: readonly string[];
  /** Shown although it lies in what is covered. */
  readonly kept: readonly string[];
  /** Shown empty although it lies in what is kept. */
  readonly hidden: readonly string[];
  /** Shown empty to agents alone: setup and checks see what the configuration links by its full name. */
  readonly hiddenFromAgents: readonly string[];
}

/** A folder of the system that every cell shows; `link` says where it leads where it is one. */
export interface SystemPath {
  readonly path: string;
  readonly link: string | null;
}

export type DecideToolCall = (policy: AgentPolicy, call: ToolCall, facts: PathFacts) => CallDecision;

/** The programs that can ask the decision server, the fastest first: a native one isn't built everywhere. */
export type WatcherClient = 'native' | 'node';

/** Limits of one cell, from the configuration's `sandbox` section. */
export interface CellLimits {
  readonly cpuSeconds: number;
  readonly memoryMb: number;
  readonly fileSizeMb: number;
  /** The most it may write in all. */
  readonly diskMb: number;
  readonly openFiles: number;
  /** Processes and threads at once. */
  readonly processes: number;
}

/** The control group of one cell: limits over all its processes together. */
export interface CellControlGroup {
  /** Its folder's name, where it is one that this program made. */
  readonly name: string | null;
  /** The command that enters the group and becomes argv, and what must be in its environment. */
  enter(argv: readonly string[]): string[];
  readonly env: Readonly<Record<string, string>>;
  /** Notes the process that entered. */
  entered(pid: number): void;
  usage(): ControlGroupUsage;
  /** Ends what is still in it, and removes it. */
  close(): Promise<void>;
}

/** Who holds a whole cell to a limit. */
export type LimitEnforcer = 'systemd scope' | 'cgroup v2' | 'cgroup v1' | 'rlimit' | 'watchdog';

/** How cells are held to their limits on this machine. */
export interface LimitEnforcement {
  readonly memory: LimitEnforcer;
  readonly cpu: LimitEnforcer;
  readonly processes: LimitEnforcer;
  /** Limits that the kernel doesn't enforce over the whole cell, one sentence each. */
  readonly missing: readonly string[];
  /** null: cells have no control group. Throws when it can't be made now. */
  openGroup(limits: CellLimits): CellControlGroup | null;
}

/**
 * How cells are kept apart here. seatbelt: macOS, files and network but no process namespace; namespaces: no file or network isolation, but nothing outlives the agent;
 * watched: only a process group and a mark in the environment.
 */
export type Confinement = 'bubblewrap' | 'seatbelt' | 'namespaces' | 'watched';

export interface SandboxCapabilities {
  readonly confinement: Confinement;
  /** The command before bubblewrap; see entrances. */
  readonly entrance: readonly string[];
  readonly limits: LimitEnforcement;
  /** Protections this machine lacks, one sentence each; where bubblewrap makes no cell, why. */
  readonly missing: readonly string[];
  /** Commands that would let bubblewrap make cells here. */
  readonly cure: readonly string[];
}

/** The kernel's count over all processes of a group together; null: it doesn't count that here. */
export interface ControlGroupUsage {
  readonly cpuSeconds: number | null;
  /** Processes it killed because the group was over its memory. */
  readonly memoryKills: number;
  /** Processes or threads it refused to start. */
  readonly refusedForks: number;
}
