import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Repository } from '../../domain/ports/git-port.ts';
import { realPathOrSame } from '../../util/real-and-private-paths.ts';
import { shellQuote } from '../../util/shell-quote.ts';
import { packageRoot } from '../../util/user-folders.ts';
import { type GitContext, runGitForText } from '../process/run-git.ts';
import { type HooksPlace, setupFolder } from './setup-record.ts';

/**
 * Where our hooks belong. Into the repository's own hooks folder where git looks there. Where core.hooksPath leads
 * elsewhere, into tracked files (husky) or a folder of several repositories, nothing may be written there: then
 * into a folder of their own, to which core.hooksPath of this repository is set; likewise where a hook would work
 * differently under another name.
 */
export async function chooseHooksPlace(
  context: GitContext,
  repository: Repository,
  recorded: HooksPlace | null,
): Promise<HooksPlace> {
  const { commonDir } = repository;
  const usual = join(commonDir, 'hooks');
  const configured = await readHooksPath(context);
  const recordedOwn = recorded?.kind === 'own' ? recorded : null;
  if (configured === join(setupFolder(commonDir), 'hooks')) return recordedOwn ?? ownPlace(usual);
  if (recordedOwn !== null && configured?.endsWith(ownEnding) === true) {
    return moved(recordedOwn, { from: configured.slice(0, -ownEnding.length), to: commonDir });
  }
  const top = repository.mainWorkTree ?? commonDir;
  const isUsual = configured === null || realPathOrSame(resolve(top, configured)) === realPathOrSame(usual);
  if (!isUsual) return ownPlace(configured);
  const isElsewhere = existsSync(usual) && realPathOrSame(usual) !== join(realPathOrSame(commonDir), 'hooks');
  if (isElsewhere || installedHookNames.some((hook) => dependsOnName(join(usual, hook)))) return ownPlace(usual);
  return { kind: 'usual', formerDir: null, madeDir: recorded?.madeDir ?? !existsSync(usual) };
}

/** The folder of our hooks. */
export function hooksDir(commonDir: string, { kind }: HooksPlace): string {
  return kind === 'own' ? join(setupFolder(commonDir), 'hooks') : join(commonDir, 'hooks');
}

/**
 * core.hooksPath as git sees it in most work trees, `~` expanded; null: not set. A work tree's own setting counts
 * only with the scope `worktree`.
 */
export async function readHooksPath(
  context: GitContext,
  scopes: readonly string[] = ['system', 'global', 'local'],
): Promise<string | null> {
  const args = ['config', '--type=path', '-z', '--show-scope', '--get-all', 'core.hooksPath'];
  const tokens = (await runGitForText(context, args, { accept: [0, 1] })).split('\0');
  const values = tokens.flatMap((scope, index) =>
    index % 2 === 0 && scopes.includes(scope) ? [tokens[index + 1] ?? ''] : [],
  );
  return values.at(-1) ?? null;
}

const ownEnding = '/blueflame-init/hooks';

function ownPlace(formerDir: string): HooksPlace {
  return { kind: 'own', formerDir, madeDir: true };
}

/** The repository lies elsewhere than when core.hooksPath was set. */
function moved(place: HooksPlace, { from, to }: { readonly from: string; readonly to: string }): HooksPlace {
  const { formerDir } = place;
  const isInside = formerDir?.startsWith(`${from}/`) === true;
  return isInside ? { ...place, formerDir: join(to, formerDir.slice(from.length)) } : place;
}

function dependsOnName(file: string): boolean {
  try {
    const text = readFileSync(file, 'latin1');
    return identifyHookOwner(text) === 'foreign' && dependsOnOwnName(text);
  } catch {
    return false;
  }
}

/** The hooks that do something in the person's repository. */
export const installedHookNames = ['commit-msg', 'pre-commit', 'pre-push'] as const;

/** Follows the name of a hook that was there before, in the same folder. */
export const formerHookSuffix = '.before-flame';

interface HookTextInit {
  readonly hook: string;
  /** See HooksPlace. */
  readonly formerDir: string | null;
}

/** The whole text of an installed hook. */
export function renderHook({ hook, formerDir }: HookTextInit): string {
  const values: Readonly<Record<string, string>> = {
    HOOK: hook,
    BEFORE: formerDir === null ? `"\${0%/*}/${hook}${formerHookSuffix}"` : shellQuote(formerPath(formerDir, hook)),
    NODE: shellQuote(process.execPath),
    TOOL: shellQuote(join(packageRoot(), 'bin', 'git-flame')),
  };
  const template = readFileSync(join(packageRoot(), 'hooks', templateOf(hook)), 'utf8');
  const text = template.replace(/@([A-Z]+)@/g, (whole, key: string) => values[key] ?? whole);
  return text.replace(hashMark, sha256(text));
}

/** Whose hook this is: ours as we wrote it, ours and changed since, or a foreign one. */
export function identifyHookOwner(text: string): 'ours' | 'changed' | 'foreign' {
  const hash = markLine.exec(text)?.[1];
  if (hash === undefined) return 'foreign';
  return sha256(text.replace(hash, hashMark)) === hash ? 'ours' : 'changed';
}

/** Whether a hook looks at its own name, and would do something else under another one. */
function dependsOnOwnName(text: string): boolean {
  return /basename|##\*\/|PROGRAM_NAME|argv\[0\]|argv0/i.test(text);
}

const hashMark = '@HASH@';
const markLine = /^# git-flame hook ([0-9a-f]{64})$/m;

function templateOf(hook: string): string {
  if (hook === 'pre-push') return 'pre-push';
  return installedHookNames.some((own) => own === hook) ? 'judge-commit' : 'pass-on';
}

/** Relative to the top of the work tree hooks run in, as git takes it; never searched for in PATH. */
function formerPath(formerDir: string, hook: string): string {
  return formerDir === '' || formerDir.startsWith('/') ? `${formerDir}/${hook}` : `./${formerDir}/${hook}`;
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
