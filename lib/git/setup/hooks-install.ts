import { existsSync, mkdirSync, readdirSync, rmdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { FlameError } from '../../domain/flame-error.ts';
import type { Repository } from '../../domain/ports/git-port.ts';
import { listWords } from '../../util/sort-and-group.ts';
import { type GitContext, runGit, runGitForText } from '../process/run-git.ts';
import { editGitFileUndoably } from './edit-git-file.ts';
import {
  chooseHooksPlace,
  formerHookSuffix,
  hooksDir,
  installedHookNames,
  readHooksPath,
  renderHook,
} from './hooks-place.ts';
import {
  applyHookFileChange,
  type HookFileChange,
  planHookFileInstallation,
  planHookFileRemoval,
  readHookFiles,
} from './hooks-plan.ts';
import { type HooksPlace, readSetupRecord, withSetupLock, writeSetupRecord } from './setup-record.ts';

interface HooksPlan {
  readonly place: HooksPlace;
  readonly steps: readonly HookFileChange[];
  /** The value core.hooksPath must get, and its value now; null: it needs none. */
  readonly hooksPath: { readonly value: string; readonly former: string | null } | null;
  /** One line for each change. */
  readonly lines: readonly string[];
}

/**
 * Finds out what installing hooks in the person's repository takes; changes nothing. Throws FlameError
 * `hooks-changed` where what was installed has been changed or replaced since.
 */
export async function planHooksInstallation(context: GitContext, repository: Repository): Promise<HooksPlan> {
  const { commonDir } = repository;
  const recorded = readSetupRecord(commonDir).hooks;
  const place = await chooseHooksPlace(context, repository, recorded);
  const dir = hooksDir(commonDir, place);
  const names =
    place.kind === 'usual'
      ? installedHookNames
      : [...installedHookNames, ...passedOn(repository, place.formerDir ?? '')];
  const plans = readHookFiles(dir, names).map((files) =>
    planHookFileInstallation(
      files,
      renderHook({ hook: files.name, formerDir: place.formerDir }),
      place.kind === 'usual',
    ),
  );
  const problems = plans.flatMap((plan) => plan.problems);
  if (problems.length > 0) throw changed(dir, problems);
  const steps = plans.flatMap((plan) => plan.steps);
  const former = place.kind === 'own' ? await readHooksPath(context) : null;
  const hooksPath = place.kind === 'own' && former !== dir ? { value: dir, former } : null;
  return { place, steps, hooksPath, lines: describe(place, steps, hooksPath) };
}

/** Installs the hooks; see planHooksInstallation. Returns one line for each change, none where all was in place. */
export function installHooks(context: GitContext, repository: Repository): Promise<readonly string[]> {
  const { commonDir } = repository;
  return withSetupLock(commonDir, async () => {
    const plan = await planHooksInstallation(context, repository);
    const record = readSetupRecord(commonDir);
    if (plan.lines.length === 0) return [];
    const isMoving = record.hooks !== null && record.hooks.kind !== plan.place.kind;
    const stays = record.hooks !== null && isMoving ? removeHooks(commonDir, record.hooks).left : [];
    writeSetupRecord(commonDir, { ...record, hooks: plan.place });
    const dir = hooksDir(commonDir, plan.place);
    mkdirSync(dir, { recursive: true });
    for (const step of plan.steps) applyHookFileChange(dir, step);
    if (plan.hooksPath !== null) await setHooksPath(context, commonDir, plan.hooksPath.value);
    return [...plan.lines, ...stays, ...(await describeWorktree(context, dir))];
  });
}

// Hooks that git may run there, though nothing of ours is in them. Those of the second list cost time at every step, or
// change git's behaviour by being there at all: they are passed on only where there is one now.
const cheapHooks = listWords(`
  applypatch-msg pre-applypatch post-applypatch pre-merge-commit prepare-commit-msg post-commit pre-rebase
  post-checkout post-merge post-rewrite pre-auto-gc sendemail-validate pre-receive update post-receive post-update
`);
const otherHooks = listWords(`
  reference-transaction post-index-change push-to-checkout proc-receive fsmonitor-watchman p4-changelist
  p4-prepare-changelist p4-post-changelist p4-pre-submit
`);

function passedOn(repository: Repository, formerDir: string): readonly string[] {
  const folder = resolve(repository.mainWorkTree ?? repository.commonDir, formerDir);
  return [...cheapHooks, ...otherHooks.filter((name) => existsSync(join(folder, name)))];
}

async function setHooksPath(context: GitContext, commonDir: string, value: string): Promise<void> {
  const local = ['config', '--local', '--get-all', 'core.hooksPath'];
  const former = (await runGitForText(context, local, { accept: [0, 1] })).split('\n').at(-1) ?? '';
  const settings = [{ key: 'core.hooksPath', value, former: former === '' ? null : former }];
  await editGitFileUndoably(commonDir, { file: 'config', lines: [], settings }, (path) =>
    runGit(context, ['config', '--file', path, '--replace-all', 'core.hooksPath', value]),
  );
}

function describe(
  { kind, formerDir }: HooksPlace,
  steps: readonly HookFileChange[],
  hooksPath: HooksPlan['hooksPath'],
): readonly string[] {
  const written = steps.flatMap((step) => (step.kind === 'write' ? [step.name] : []));
  if (kind === 'usual') {
    const isKept = (name: string): boolean => steps.some((step) => step.kind === 'rename' && step.from === name);
    return written.map((name) =>
      isKept(name)
        ? `hooks/${name}: first runs the earlier hook, now hooks/${name}${formerHookSuffix}`
        : `hooks/${name}`,
    );
  }
  const passing = written.filter((name) => !installedHookNames.some((own) => own === name)).length;
  const own = written.filter((name) => installedHookNames.some((one) => one === name));
  const more = passing > 0 ? [`${passing} that only call the earlier hooks`] : [];
  const was = hooksPath?.former === null ? 'not set' : hooksPath?.former;
  return [
    ...(written.length === 0 ? [] : [`blueflame-init/hooks: ${[...own, ...more].join(', ')}`]),
    ...(hooksPath === null
      ? []
      : [`config: core.hooksPath = ${hooksPath.value} (was ${was}; the hooks in ${formerDir} still run first)`]),
  ];
}

async function describeWorktree(context: GitContext, dir: string): Promise<readonly string[]> {
  const own = await readHooksPath(context, ['worktree']);
  return own === null || own === dir
    ? []
    : [`The hooks don't run in this work tree, because it has its own core.hooksPath: ${own}.`];
}

function changed(dir: string, problems: readonly string[]): FlameError {
  return new FlameError({
    kind: 'refused',
    code: 'hooks-changed',
    message: `Hooks in ${dir} were changed after they were installed, so nothing was changed.`,
    details: problems,
    hints: ['git flame init --uninstall', 'git flame init --no-hooks'],
  });
}

/** What was removed, and the files that stay because they were changed since; one line each. */
export interface SetupRemoval {
  readonly done: readonly string[];
  readonly left: readonly string[];
}

/** Takes the installed hooks away and puts back what was there before, byte for byte. */
export function removeHooks(commonDir: string, place: HooksPlace): SetupRemoval {
  const dir = hooksDir(commonDir, place);
  const { steps, ...removal } = planHooksRemoval(commonDir, place);
  for (const step of steps) applyHookFileChange(dir, step);
  if (place.madeDir && existsSync(dir) && readdirSync(dir).length === 0) rmdirSync(dir);
  return removal;
}

/** Plans what removeHooks does. */
export function planHooksRemoval(
  commonDir: string,
  place: HooksPlace,
): SetupRemoval & { readonly steps: readonly HookFileChange[] } {
  const dir = hooksDir(commonDir, place);
  const isUsual = place.kind === 'usual';
  const label = isUsual ? 'hooks' : 'blueflame-init/hooks';
  const names = isUsual ? installedHookNames : existsSync(dir) ? readdirSync(dir) : [];
  const plans = readHookFiles(dir, names).map((files) => ({
    name: files.name,
    ...planHookFileRemoval(files),
  }));
  const going = plans.filter(({ steps }) => steps.length > 0);
  // Hooks of others in our own folder have no step: none of them is ours.
  const strangers = plans.filter(({ steps, problems }) => !isUsual && steps.length + problems.length === 0);
  return {
    steps: going.flatMap(({ steps }) => steps),
    done: isUsual ? going.map(({ name, steps }) => `${label}/${name}${tail(steps)}`) : going.length > 0 ? [label] : [],
    left: [
      ...plans.flatMap(({ problems }) => problems.map((problem) => `${label}/${problem}`)),
      ...strangers.map(({ name }) => `${label}/${name} is not from git-flame, so it stays`),
    ],
  };
}

function tail(steps: readonly HookFileChange[]): string {
  return steps.some(({ kind }) => kind === 'rename') ? ': the earlier hook is restored' : '';
}
