import { createHash } from 'node:crypto';
import { chmodSync, lstatSync, readFileSync, readlinkSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { formerHookSuffix, identifyHookOwner } from './hooks-place.ts';

/** One change in the folder of hooks; names are relative to it. */
export type HookFileChange =
  | { readonly kind: 'rename'; readonly from: string; readonly to: string }
  | { readonly kind: 'write'; readonly name: string; readonly text: string }
  | { readonly kind: 'remove'; readonly name: string };

interface HookPlan {
  readonly steps: readonly HookFileChange[];
  /** Files that stay because they were changed since, a sentence each. */
  readonly problems: readonly string[];
}

/**
 * Plans to put our hook, with this text, before an existing one. `keeps`: a foreign hook may be in its place.
 */
export function planHookFileInstallation(files: HookFiles, text: string, keeps: boolean): HookPlan {
  const { name, current, saved, displaced } = files;
  const clear = displaced.map(remove);
  const write: HookFileChange = { kind: 'write', name, text };
  if (current === null) return plan([...clear, write]);
  if (current.owner === 'changed') return refuse(`${name} is from git-flame but was changed since`);
  if (current.owner === 'ours') return plan(current.text === text ? clear : [...clear, write]);
  if (!keeps) return refuse(`${name} is not from git-flame`);
  if (saved === null) return plan([...clear, { kind: 'rename', from: name, to: name + formerHookSuffix }, write]);
  if (saved.identity === current.identity) return plan([...clear, write]);
  return refuse(`${name} was replaced since by another hook, and ${name}${formerHookSuffix} is still the earlier one`);
}

/** Plans to remove our hook and to put back the one before it. */
export function planHookFileRemoval({ name, current, saved, displaced }: HookFiles): HookPlan {
  const clear = displaced.map(remove);
  const putBack = (to: string): HookFileChange[] =>
    saved === null ? [] : [{ kind: 'rename', from: name + formerHookSuffix, to }];
  if (current === null) return plan([...clear, ...putBack(name)]);
  if (current.owner === 'ours') return plan([...clear, remove(name), ...putBack(name)]);
  if (current.owner === 'changed') {
    const also = saved === null ? '' : `, and so does ${name}${formerHookSuffix}`;
    return refuse(`${name} was changed since, so it stays${also}`);
  }
  if (saved?.identity === current.identity) return plan([...clear, remove(name + formerHookSuffix)]);
  const [place] = displaced;
  // Another tool put its hook in front and ours aside: what was there before ours goes where ours is now.
  if (place !== undefined) return plan([...clear, ...putBack(place)]);
  if (saved === null) return plan([]);
  return refuse(`${name} was replaced since by another hook, so it and ${name}${formerHookSuffix} stay`);
}

function remove(name: string): HookFileChange {
  return { kind: 'remove', name };
}

function plan(steps: readonly HookFileChange[]): HookPlan {
  return { steps, problems: [] };
}

function refuse(problem: string): HookPlan {
  return { steps: [], problems: [problem] };
}

/** A file at the place of a hook. */
interface FoundHook {
  readonly owner: 'ours' | 'changed' | 'foreign';
  /** Equal for files with the same content and mode. */
  readonly identity: string;
  readonly text: string;
}

/** All there is about one hook in a folder. */
interface HookFiles {
  readonly name: string;
  readonly current: FoundHook | null;
  /** The hook that was there before ours. */
  readonly saved: FoundHook | null;
  /** Files that are ours and were renamed by another tool (lefthook: `.old`, pre-commit: `.legacy`). */
  readonly displaced: readonly string[];
}

/** Looks at the hooks of these names. */
export function readHookFiles(dir: string, names: readonly string[]): readonly HookFiles[] {
  return names.map((name) => ({
    name,
    current: findHook(join(dir, name)),
    saved: findHook(join(dir, `${name}${formerHookSuffix}`)),
    displaced: [`${name}.old`, `${name}.legacy`].filter((other) => findHook(join(dir, other))?.owner === 'ours'),
  }));
}

function findHook(file: string): FoundHook | null {
  const stat = lstatSync(file, { throwIfNoEntry: false });
  if (stat === undefined) return null;
  if (stat.isSymbolicLink()) return { owner: 'foreign', identity: `link ${readlinkSync(file)}`, text: '' };
  if (!stat.isFile()) return { owner: 'foreign', identity: `other ${stat.ino}`, text: '' };
  const bytes = readFileSync(file);
  const text = bytes.toString();
  const digest = createHash('sha256').update(bytes).digest('hex');
  return { owner: identifyHookOwner(text), identity: `${stat.mode} ${digest}`, text };
}

/** Does one change in a folder of hooks; a hook is replaced in one step. */
export function applyHookFileChange(dir: string, step: HookFileChange): void {
  if (step.kind === 'remove') {
    rmSync(join(dir, step.name), { force: true });
    return;
  }
  if (step.kind === 'rename') {
    renameSync(join(dir, step.from), join(dir, step.to));
    return;
  }
  const fresh = join(dir, `${step.name}.flame-new`);
  writeFileSync(fresh, step.text);
  chmodSync(fresh, 0o755);
  renameSync(fresh, join(dir, step.name));
}
