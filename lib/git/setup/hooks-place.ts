import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Repository } from '../../domain/ports/git-port.ts';
import { realPath } from '../../util/path-places.ts';
import { type GitContext, gitText } from '../process/run-git.ts';
import { hookOwner, looksAtItsName, ownHooks } from './hooks-texts.ts';
import { type HooksPlace, setupFolder } from './setup-record.ts';

/**
 * Where our hooks belong. Into the repository's own hooks folder where git looks there. Where core.hooksPath leads
 * elsewhere, into tracked files (husky) or a folder of several repositories, nothing may be written there: then
 * into a folder of their own, to which core.hooksPath of this repository is set; likewise where a hook would work
 * differently under another name.
 */
export async function readHooksPlace(
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
  const isUsual = configured === null || realPath(resolve(top, configured)) === realPath(usual);
  if (!isUsual) return ownPlace(configured);
  const isElsewhere = existsSync(usual) && realPath(usual) !== join(realPath(commonDir), 'hooks');
  if (isElsewhere || ownHooks.some((hook) => dependsOnName(join(usual, hook)))) return ownPlace(usual);
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
  const tokens = (await gitText(context, args, { accept: [0, 1] })).split('\0');
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
    return hookOwner(text) === 'foreign' && looksAtItsName(text);
  } catch {
    return false;
  }
}
