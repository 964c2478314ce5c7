import { listUnreadablePaths } from '../../domain/config/hidden-paths.ts';
import type { AgentLaunch } from '../../domain/ports/adapter.ts';
import { hideContentsFromAgentGit, markSkipWorktree } from '../../git/cells/hide-contents.ts';
import { offlinePackageToolSettings } from '../egress/cell-registries.ts';
import type { CellEgress } from '../egress/open-egress.ts';
import type { RunnerContext, VisibleWorkTreePaths } from '../runner-context.ts';
import type { CellProfile } from '../sandbox/bwrap-profile.ts';
import type { CellPlace } from '../sandbox/cell-layout.ts';
import { findAgentCliSettingsInTree, findFilesNamed, findHiddenFiles } from '../sandbox/hidden-files.ts';
import { prepareCellProfile } from '../sandbox/prepare-cell.ts';
import type { AgentRunState } from './agent-run.ts';
import type { AgentServices } from './agent-services.ts';
import { listProgramFiles } from './resolve-command.ts';

interface Parts {
  readonly command: readonly string[];
  readonly services: AgentServices;
}

/** Describes the program to run, by its adapter. */
export function buildAgentLaunch(
  context: RunnerContext,
  run: AgentRunState,
  { command, prepared, services }: Parts & { readonly prepared: string | null },
): AgentLaunch {
  const { folder, request } = run;
  return run.adapter.launch(request, {
    command,
    searchPath: context.searchFolders.join(':'),
    home: folder.home,
    tmp: folder.tmp,
    controlDir: folder.control,
    prepared,
    ...services.paths,
  });
}

/** Lists files the cell shows empty: hidden ones, and the repository's for agent CLIs. Its git ignores the change. */
export async function listFilesShownEmpty(
  context: RunnerContext,
  { adapter }: AgentRunState,
  place: CellPlace,
): Promise<readonly string[]> {
  const settings = adapter.calls === null ? [] : findAgentCliSettingsInTree(place.path);
  if (place.quarantine === null) return settings;
  const unasked = await findFilesNamed({ cwd: place.path, env: context.env }, adapter.readsUnasked);
  return hideFromGitOfCell(context, place, { showsCopies: false, others: [...settings, ...unasked] });
}

/** Finds the hidden files of a place and returns them, with others that its cell shows empty; its git ignores the change. */
export async function hideFromGitOfCell(
  { env, config }: Pick<RunnerContext, 'env' | 'config'>,
  { path, quarantine }: CellPlace,
  { showsCopies, others = [] }: { readonly showsCopies: boolean; readonly others?: readonly string[] },
): Promise<readonly string[]> {
  if (quarantine === null) return others;
  const git = { cwd: path, env };
  const found = [...new Set([...others, ...(await findHiddenFiles(git, config, { showsCopies }))])];
  await markSkipWorktree(git, found);
  hideContentsFromAgentGit(quarantine, listUnreadablePaths(config.permissions));
  return found;
}

interface CellParts extends Parts {
  readonly emptied: readonly string[];
  readonly launch: AgentLaunch;
  readonly place: CellPlace;
  readonly gitConfig: string;
  readonly workTree: VisibleWorkTreePaths;
  readonly egress: CellEgress | null;
}

/** The cell it runs in. Throws a FlameError `bad-read-path`. */
export function buildAgentCellProfile(
  context: RunnerContext,
  { folder, request }: AgentRunState,
  { command, services, launch, place, emptied, gitConfig, workTree, egress }: CellParts,
): CellProfile {
  return prepareCellProfile(context, {
    folder,
    place,
    isReadOnly: request.isReadOnly,
    isInteractive: request.isInteractive,
    programs: [...listProgramFiles(command), ...services.programs, ...(egress?.programs ?? [])],
    workTree: { ...workTree, hidden: [...workTree.hidden, ...workTree.hiddenFromAgents] },
    shown: [context.distDir, ...(launch.reads ?? []), ...(egress?.shown ?? [])],
    emptied,
    mounts: [...services.mounts, ...(egress?.mounts ?? [])],
    doors: { ...services.doors, ports: [...services.doors.ports, ...(egress?.ports ?? [])] },
    // Else its git renews the index at each look, and what a validator leaves is compared with what it found.
    env: {
      ...(egress?.env ?? offlinePackageToolSettings),
      ...launch.env,
      ...(request.role === 'validator' ? { GIT_OPTIONAL_LOCKS: '0' } : {}),
    },
    author: request.author,
    gitConfig,
    hooksConfig: services.hooksConfig,
  });
}
