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
export interface CellGroup {
  /** Its folder's name, where it is one that this program made. */
  readonly name: string | null;
  /** The command that enters the group and becomes argv, and what must be in its environment. */
  enter(argv: readonly string[]): string[];
  readonly env: Readonly<Record<string, string>>;
  /** Notes the process that entered. */
  entered(pid: number): void;
  usage(): GroupUsage;
  /** Ends what is still in it, and removes it. */
  close(): Promise<void>;
}

/** Who holds a whole cell to a limit. */
export type Enforcer = 'systemd scope' | 'cgroup v2' | 'cgroup v1' | 'rlimit' | 'watchdog';

/** How cells are held to their limits on this machine. */
export interface LimitsState {
  readonly memory: Enforcer;
  readonly cpu: Enforcer;
  readonly processes: Enforcer;
  /** Limits that the kernel doesn't enforce over the whole cell, one sentence each. */
  readonly missing: readonly string[];
  /** null: cells have no control group. Throws when it can't be made now. */
  openGroup(limits: CellLimits): CellGroup | null;
}

/**
 * How cells are kept apart here. seatbelt: macOS, files and network but no process namespace; namespaces: no file or network isolation, but nothing outlives the agent;
 * watched: only a process group and a mark in the environment.
 */
export type Confinement = 'bubblewrap' | 'seatbelt' | 'namespaces' | 'watched';

export interface SandboxState {
  readonly confinement: Confinement;
  /** The command before bubblewrap; see entrances. */
  readonly entrance: readonly string[];
  readonly limits: LimitsState;
  /** Protections this machine lacks, one sentence each; where bubblewrap makes no cell, why. */
  readonly missing: readonly string[];
  /** Commands that would let bubblewrap make cells here. */
  readonly cure: readonly string[];
}

/** The kernel's count over all processes of a group together; null: it doesn't count that here. */
export interface GroupUsage {
  readonly cpuSeconds: number | null;
  /** Processes it killed because the group was over its memory. */
  readonly memoryKills: number;
  /** Processes or threads it refused to start. */
  readonly refusedForks: number;
}
