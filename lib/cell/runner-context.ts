import type { Config } from '../domain/config/config.ts';
import type { AgentPolicy, Decision, PathFacts, ToolCall } from '../domain/policy.ts';
import type { Adapter } from '../domain/ports/adapter.ts';
import type { Repository } from '../domain/ports/git-port.ts';
import type { CellLimits, SandboxState } from './sandbox-state.ts';

/** What all cells of one command share. */
export interface RunnerContext {
  readonly config: Config;
  readonly repository: Repository;
  /** The environment of the person's command. */
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
}

/** What a cell shows of the person's own work tree beside the commits; absolute paths. */
export interface WorkTreeView {
  /** Shown empty. */
  readonly covered: readonly string[];
  /** Shown although it lies in what is covered. */
  readonly kept: readonly string[];
  /** Shown empty although it lies in what is kept. */
  readonly hidden: readonly string[];
}

export type Decide = (policy: AgentPolicy, call: ToolCall, facts: PathFacts) => Decision;

/** The programs that can ask the decision server, the fastest first: a native one isn't built everywhere. */
export type WatcherClient =
  | { readonly kind: 'native' }
  | { readonly kind: 'perl'; readonly program: string }
  | { readonly kind: 'node' };
