import type { Config } from '../domain/config/config.ts';
import type { AgentPolicy, Decision, PathFacts, ToolCall } from '../domain/policy.ts';
import type { Adapter } from '../domain/ports/adapter.ts';
import type { CommandRun } from '../domain/ports/agent-port.ts';
import type { Repository } from '../domain/ports/git-port.ts';
import type { CellLimits, SandboxState } from './sandbox-state.ts';

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
  readonly decide: Decide;
  readonly limits: CellLimits;
  /** Folders of PATH that exist. */
  readonly searchFolders: readonly string[];
  /** The repository's settings as a cell may see them; see readQuietConfig. Read once. */
  gitConfig(): Promise<string>;
  /** See viewWorkTree; as it was a second ago at most. */
  workTree(): Promise<WorkTreeView>;
  /** Tried once. */
  sandbox(): Promise<SandboxState>;
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
export interface WorkTreeView {
  /** Shown empty. */
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

export type Decide = (policy: AgentPolicy, call: ToolCall, facts: PathFacts) => Decision;

/** The programs that can ask the decision server, the fastest first: a native one isn't built everywhere. */
export type WatcherClient =
  | { readonly kind: 'native' }
  | { readonly kind: 'perl'; readonly program: string }
  | { readonly kind: 'node' };
