import { basename } from 'node:path';
import { listOldDependencies, type OldDependency } from '../cell/dependencies/dependency-store.ts';
import { listOldLogs, type OldLog, removeLog } from '../cell/run/agent-output-log.ts';
import { endStaleRun, listStaleRuns } from '../cell/run/end-runs.ts';
import type { CommandArgs, Io } from '../domain/view-models/command.ts';
import {
  type CleanupConsent,
  type CleanupResult,
  listItemsToRemove,
  performCleanup,
} from '../engine/retention/cleanup-perform.ts';
import { listCleanupItems } from '../engine/retention/cleanup-plan.ts';
import type { CleanupItem } from '../engine/retention/stale-worktrees.ts';
import { type CleanupLine, renderCleanup } from '../ui/render/render-cleanup.ts';
import { removeTree } from '../util/remove-tree.ts';
import { type CommandContext, withRunContext } from './run-context/open-run-context.ts';

/** `git flame cleanup`: shows what could go, and with --yes removes it. 1 when something stayed that was to go. */
export function run(args: CommandArgs<'cleanup'>, io: Io): Promise<number> {
  // Opened as for a dry run: what a killed run left must be shown before it's cleared.
  const quiet = { ...args, globals: { ...args.globals, dryRun: true } };
  return withRunContext(quiet, io, async (opened) => {
    const found = await gather(opened);
    const isDone = args.options.yes && !args.globals.dryRun;
    const { force: isForced, rescues: includesRescues } = args.options;
    const words = { isForced, includesRescues };
    const chosen = listItemsToRemove(found.stale, words);
    const cleaned = isDone ? await perform(opened, found, words) : [];
    const lines = isDone ? cleaned.map(toLine) : describe({ ...found, stale: chosen });
    const left = found.stale.filter((stale) => !chosen.includes(stale));
    const [rescues, unmerged] = [left.filter(isRescue), left.filter((stale) => !isRescue(stale))];
    opened.output.json({
      done: isDone,
      items: lines,
      needs_force: unmerged.map(named),
      needs_rescues: rescues.map(named),
    });
    opened.output.result(renderCleanup({ isDone, lines, left: unmerged, rescues }, opened.output.style));
    const said = `${isForced ? ' --force' : ''}${includesRescues ? ' --rescues' : ''}`;
    if (!isDone && lines.length > 0) opened.output.hint(`git flame cleanup --yes${said}`);
    else if (unmerged.length > 0) opened.output.hint('git flame cleanup --force');
    if (rescues.length > 0) opened.output.hint('git flame cleanup --rescues');
    return cleaned.some(({ outcome }) => outcome === 'kept') ? 1 : 0;
  });
}

function isRescue({ kind }: CleanupItem): boolean {
  return kind === 'rescue';
}

function named({ name, why }: CleanupItem): Pick<CleanupItem, 'name' | 'why'> {
  return { name, why };
}

interface Found {
  readonly stale: readonly CleanupItem[];
  readonly logs: readonly OldLog[];
  readonly runs: readonly string[];
  readonly dependencies: readonly OldDependency[];
}

async function gather({ context, git, config }: CommandContext): Promise<Found> {
  const { commonDir } = git.repository;
  const now = context.now();
  const { sessions } = await context.store.snapshot();
  // The stored configuration of an open session is kept, to compare it with the next one.
  const compared = sessions.flatMap(({ state, config_digest: digest }) => (state === 'ended' ? [] : [digest]));
  return {
    stale: await listCleanupItems(context),
    logs: listOldLogs(commonDir, new Date(now.getTime() - config.retention.logs), compared),
    runs: listStaleRuns(commonDir, now),
    dependencies: listOldDependencies(commonDir, new Date(now.getTime() - config.retention.logs)),
  };
}

async function perform(
  { context, git }: CommandContext,
  { stale, logs, runs, dependencies }: Found,
  words: CleanupConsent,
): Promise<readonly CleanupResult[]> {
  for (const run of runs) await endStaleRun(run);
  await git.removeUnfinishedCells();
  const done = await performCleanup(context, stale, words);
  for (const log of logs) removeLog(log);
  for (const { path } of dependencies) await removeTree(path);
  const removed = [...runs, ...[...logs, ...dependencies].map(({ path }) => path)];
  return [...done, ...removed.map((name) => ({ name, outcome: 'removed', details: '' }) as const)];
}

function describe({ stale, logs, runs, dependencies }: Found): readonly CleanupLine[] {
  return [
    ...stale.map(({ kind, name, why }) => ({ what: kind, name, details: why })),
    ...runs.map((run) => ({ what: 'run folder', name: basename(run), details: 'its run was killed' })),
    ...logs.map(({ path, bytes }) => ({
      what: 'log',
      name: basename(path),
      details: `${bytes} bytes, older than retention.logs`,
    })),
    ...dependencies.map(({ path, why }) => ({ what: 'dependencies', name: basename(path), details: why })),
  ];
}

function toLine({ name, outcome, details }: CleanupResult): CleanupLine {
  return { what: outcome, name, details };
}
