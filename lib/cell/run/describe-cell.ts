import { unreadablePaths } from '../../domain/config/cell-paths.ts';
import type { Launch } from '../../domain/ports/adapter.ts';
import { hideContents, markSkipWorktree } from '../../git/cells/hide-contents.ts';
import { closedSettings } from '../egress/cell-registries.ts';
import type { CellEgress } from '../egress/open-egress.ts';
import type { RunnerContext, WorkTreeView } from '../runner-context.ts';
import type { CellProfile } from '../sandbox/bwrap-profile.ts';
import type { CellPlace } from '../sandbox/cell-layout.ts';
import { findFilesNamed, findHidden, findRepositorySettings } from '../sandbox/hidden-files.ts';
import { prepareCell } from '../sandbox/prepare-cell.ts';
import type { AgentRun } from './agent-run.ts';
import type { AgentServices } from './agent-services.ts';
import { programFiles } from './resolve-command.ts';

interface Parts {
  readonly command: readonly string[];
  readonly services: AgentServices;
}

/** Describes the program to run, by its adapter. */
export function describeLaunch(
  context: RunnerContext,
  run: AgentRun,
  { command, prepared, services }: Parts & { readonly prepared: string | null },
): Launch {
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
export async function emptyUnseen(
  { env, config }: RunnerContext,
  { adapter }: AgentRun,
  place: CellPlace,
): Promise<readonly string[]> {
  const settings = adapter.calls === null ? [] : findRepositorySettings(place.path);
  if (place.quarantine === null) return settings;
  const git = { cwd: place.path, env };
  const unasked = await findFilesNamed(git, adapter.readsUnasked);
  const hidden = await findHidden(git, config, { showsCopies: false });
  const found = [...new Set([...settings, ...unasked, ...hidden])];
  await markSkipWorktree(git, found);
  hideContents(place.quarantine, unreadablePaths(config.permissions));
  return found;
}

interface CellParts extends Parts {
  readonly emptied: readonly string[];
  readonly launch: Launch;
  readonly place: CellPlace;
  readonly gitConfig: string;
  readonly workTree: WorkTreeView;
  readonly egress: CellEgress | null;
}

/** The cell it runs in. Throws a FlameError `bad-read-path`. */
export function describeCell(
  context: RunnerContext,
  { folder, request }: AgentRun,
  { command, services, launch, place, emptied, gitConfig, workTree, egress }: CellParts,
): CellProfile {
  return prepareCell(context, {
    folder,
    place,
    isReadOnly: request.isReadOnly,
    isInteractive: request.isInteractive,
    programs: [...programFiles(command), ...services.programs, ...(egress?.programs ?? [])],
    workTree: { ...workTree, hidden: [...workTree.hidden, ...workTree.hiddenFromAgents] },
    shown: [context.distDir, ...(launch.reads ?? []), ...(egress?.shown ?? [])],
    emptied,
    mounts: [...services.mounts, ...(egress?.mounts ?? [])],
    doors: { ...services.doors, ports: [...services.doors.ports, ...(egress?.ports ?? [])] },
    // Else its git renews the index at each look, and what a validator leaves is compared with what it found.
    env: {
      ...(egress?.env ?? closedSettings),
      ...launch.env,
      ...(request.role === 'validator' ? { GIT_OPTIONAL_LOCKS: '0' } : {}),
    },
    author: request.author,
    gitConfig: services.gitConfig === null ? gitConfig : { file: services.gitConfig },
    hooksConfig: services.hooksConfig,
  });
}
