import type { Adapter } from '../domain/adapter.ts';
import type { Config } from '../domain/config.ts';
import type { Repository } from '../domain/git-port.ts';
import type { Decide } from './decision-server.ts';
import type { CellLimits } from './limits.ts';
import type { WorkTreeView } from './private-paths.ts';
import type { SandboxState } from './sandbox-probe.ts';
import type { WatcherClient } from './watcher-command.ts';

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
