import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../util/own-folders.ts';
import { shellQuote } from '../../util/shell-quote.ts';

/** The hooks that do something in the person's repository. */
export const ownHooks = ['commit-msg', 'pre-commit', 'pre-push'] as const;

/** Follows the name of a hook that was there before, in the same folder. */
export const savedSuffix = '.before-flame';

interface HookTextInit {
  readonly hook: string;
  /** See HooksPlace. */
  readonly formerDir: string | null;
}

/** The whole text of an installed hook. */
export function renderHook({ hook, formerDir }: HookTextInit): string {
  const values: Readonly<Record<string, string>> = {
    HOOK: hook,
    BEFORE: formerDir === null ? `"\${0%/*}/${hook}${savedSuffix}"` : shellQuote(formerPath(formerDir, hook)),
    NODE: shellQuote(process.execPath),
    TOOL: shellQuote(join(packageRoot(), 'bin', 'git-flame')),
  };
  const template = readFileSync(join(packageRoot(), 'hooks', templateOf(hook)), 'utf8');
  const text = template.replace(/@([A-Z]+)@/g, (whole, key: string) => values[key] ?? whole);
  return text.replace(hashMark, sha256(text));
}

/** Whose hook this is: ours as we wrote it, ours and changed since, or a foreign one. */
export function hookOwner(text: string): 'ours' | 'changed' | 'foreign' {
  const hash = markLine.exec(text)?.[1];
  if (hash === undefined) return 'foreign';
  return sha256(text.replace(hash, hashMark)) === hash ? 'ours' : 'changed';
}

/** Whether a hook looks at its own name, and would do something else under another one. */
export function looksAtItsName(text: string): boolean {
  return /basename|##\*\/|PROGRAM_NAME|argv\[0\]|argv0/i.test(text);
}

const hashMark = '@HASH@';
const markLine = /^# git-flame hook ([0-9a-f]{64})$/m;

function templateOf(hook: string): string {
  if (hook === 'pre-push') return 'pre-push';
  return ownHooks.some((own) => own === hook) ? 'judge-commit' : 'pass-on';
}

/** Relative to the top of the work tree hooks run in, as git takes it; never searched for in PATH. */
function formerPath(formerDir: string, hook: string): string {
  return formerDir === '' || formerDir.startsWith('/') ? `${formerDir}/${hook}` : `./${formerDir}/${hook}`;
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
