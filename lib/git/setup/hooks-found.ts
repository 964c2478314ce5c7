import { createHash } from 'node:crypto';
import { lstatSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { hookOwner, savedSuffix } from './hooks-texts.ts';

/** A file at the place of a hook. */
interface FoundHook {
  readonly owner: 'ours' | 'changed' | 'foreign';
  /** Equal for files with the same content and mode. */
  readonly identity: string;
  readonly text: string;
}

/** All there is about one hook in a folder. */
export interface HookFiles {
  readonly name: string;
  readonly current: FoundHook | null;
  /** The hook that was there before ours. */
  readonly saved: FoundHook | null;
  /** Files that are ours and were renamed by another tool (lefthook: `.old`, pre-commit: `.legacy`). */
  readonly displaced: readonly string[];
}

/** Looks at the hooks of these names. */
export function findHooks(dir: string, names: readonly string[]): readonly HookFiles[] {
  return names.map((name) => ({
    name,
    current: findHook(join(dir, name)),
    saved: findHook(join(dir, `${name}${savedSuffix}`)),
    displaced: [`${name}.old`, `${name}.legacy`].filter(
      (other) => findHook(join(dir, other))?.owner === 'ours',
    ),
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
  return { owner: hookOwner(text), identity: `${stat.mode} ${digest}`, text };
}
