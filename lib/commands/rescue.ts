import { resolve } from 'node:path';
import { changedConcurrentlyError } from '../domain/concurrency-errors.ts';
import { FlameError } from '../domain/flame-error.ts';
import type { Rescue } from '../domain/ports/git-cells.ts';
import type { CommandArgs, Io } from '../domain/view-models/command.ts';
import { findRescueByName, listRescues } from '../engine/retention/rescue-refs.ts';
import { renderRescue, renderRescues } from '../ui/render/render-cleanup.ts';
import { renderDiff } from '../ui/render/render-diff.ts';
import { shellQuote } from '../util/shell-quote.ts';
import { type ReadContext, withRepositoryState } from './context/open-read-context.ts';

/** `git flame rescue list|show|restore|drop`: work that was kept when its worktree was removed. */
export function run(args: CommandArgs<'rescue'>, io: Io): Promise<number> {
  return withRepositoryState(args, io, async (reading) => {
    const rescues = await listRescues(reading.git);
    if (args.subcommand === 'list') return list(reading, rescues);
    const [name] = args.positionals;
    if (name === undefined) throw noName(args.subcommand ?? '');
    const rescue = findRescueByName(rescues, name);
    if (args.subcommand === 'show') return show(reading, rescue, args.options.diff);
    if (args.globals.dryRun) return preview(reading, rescue, args.subcommand ?? '');
    return args.subcommand === 'drop' ? drop(reading, rescue) : restore(reading, rescue, folderFor(rescue, args, io));
  });
}

function list({ output }: ReadContext, rescues: readonly Rescue[]): number {
  output.json({ rescues });
  output.result(renderRescues(rescues, output.style));
  return 0;
}

async function show({ git, output }: ReadContext, rescue: Rescue, isDiffWanted: boolean): Promise<number> {
  const { start, commit } = rescue;
  const diffstat = start === null ? null : await git.diffStat(start, commit);
  output.json({ ...rescue, diffstat });
  output.result(renderRescue({ rescue, diffstat }, output.style));
  const command = `git flame rescue show ${shellQuote(rescue.name)} --diff`;
  if (isDiffWanted && start !== null)
    output.result(renderDiff(await git.diffText(start, commit), output.style, command));
  output.hint(`git flame rescue restore ${rescue.name}`);
  return 0;
}

async function restore({ git, output }: ReadContext, rescue: Rescue, folder: string): Promise<number> {
  await git.exportCommit(rescue.commit, folder);
  output.json({ ...rescue, folder });
  output.result(`Written to ${folder}. Agents wrote these files: read them before you run anything.`);
  return 0;
}

async function drop({ git, store, output }: ReadContext, rescue: Rescue): Promise<number> {
  const actor = await git.identity();
  const result = await store.transact(() => ({
    changes: [],
    refs: [{ ref: rescue.ref, old: rescue.commit, new: null }],
    actor,
  }));
  if (result.kind === 'ref-moved') throw rescueMoved(rescue);
  output.json(rescue);
  output.result(`Dropped: ${rescue.name}. To restore it before the next git gc: git branch rescued ${rescue.commit}`);
  return 0;
}

function rescueMoved({ name }: Rescue): FlameError {
  return changedConcurrentlyError(`${name} was changed or dropped by another command at the same time.`, [
    'git flame rescue list',
  ]);
}

function preview({ output }: ReadContext, rescue: Rescue, subcommand: string): number {
  output.json(rescue);
  output.result(`Would ${subcommand} ${rescue.name}.`);
  return 0;
}

function folderFor({ name }: Rescue, { options }: CommandArgs<'rescue'>, io: Io): string {
  return resolve(io.cwd, options.to ?? `rescued-${name.split('/').slice(1).join('-')}`);
}

function noName(subcommand: string): FlameError {
  return new FlameError({
    kind: 'usage',
    code: 'no-rescue-named',
    message: `git flame rescue ${subcommand} needs the name of a rescue.`,
    hints: ['git flame rescue list'],
  });
}
