import { lstatSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { listUntracked } from '../git/untracked-paths.ts';
import { isBlockedBy } from '../policy/judge-path.ts';
import { isBelow } from '../util/is-below.ts';
import { pathMatches } from '../util/path-globs.ts';
import type { RunnerContext } from './runner-context.ts';
import { isThere, realPath } from './tool-paths.ts';

/** What a cell shows of the person's own work tree beside the commits; absolute paths. */
export interface WorkTreeView {
  /** Shown empty. */
  readonly covered: readonly string[];
  /** Shown although it lies in what is covered. */
  readonly kept: readonly string[];
}

// Programs look upwards from a worktree for these, and what they hold was downloaded.
const dependencies = new Set([
  ...['node_modules', 'bower_components', 'jspm_packages', 'elm-stuff', 'vendor', 'Pods', '.bundle'],
  ...['.yarn', '.pnp.cjs', '.pnp.loader.mjs', '.pnp.data.json'],
]);
// Of these some put files of their own beside what was downloaded.
const looked = new Set(['vendor', 'Pods', '.bundle']);
const mostLooked = 50_000;
// Each is a mount; where there are more, nothing but dependencies is shown.
const mostCovered = 300;

/**
 * A cell shows of the person's work tree what git tracks there, dependencies, and what the configuration links into
 * worktrees: not an `.env` with real keys, not a folder of certificates, however deep they lie.
 */
export async function viewWorkTree({
  repository,
  config,
  env,
}: Pick<RunnerContext, 'repository' | 'config' | 'env'>): Promise<WorkTreeView> {
  const { mainWorkTree, commonDir } = repository;
  if (mainWorkTree === null) return { covered: [], kept: [] };
  const { link } = config.project;
  const covered: string[] = [];
  const kept = link.map((glob) => join(mainWorkTree, withoutGlob(glob))).filter(isThere);
  for (const entry of await listUntracked({ cwd: mainWorkTree, env })) {
    const name = entry.replace(/\/$/, '');
    const path = join(mainWorkTree, name);
    if (link.some((glob) => pathMatches(glob, name)) || isBelow(commonDir, path)) continue;
    if (!isDependency(path)) covered.push(path);
    else if (await isClean(name, mainWorkTree, config.permissions.blocked_paths))
      kept.push(path, realPath(path));
    else covered.push(path);
  }
  const files = covered.filter((path) => !isLink(path));
  return { covered: files.length > mostCovered ? [mainWorkTree] : files, kept };
}

function isDependency(path: string): boolean {
  return dependencies.has(basename(path)) || isThere(join(path, 'pyvenv.cfg'));
}

/** Whether nothing private lies among dependencies; those of packages are not looked into. */
async function isClean(folder: string, root: string, blocked: readonly string[]): Promise<boolean> {
  if (!looked.has(basename(folder))) return true;
  let count = 0;
  for (const waiting = [folder]; waiting.length > 0; ) {
    const at = waiting.pop() ?? folder;
    for (const entry of await readdir(join(root, at), { withFileTypes: true }).catch(() => [])) {
      const path = join(at, entry.name);
      count += 1;
      if (count > mostLooked || blocked.some((glob) => isBlockedBy(glob, path))) return false;
      if (entry.isDirectory() && entry.name !== 'node_modules') waiting.push(path);
    }
  }
  return true;
}

/** What it leads to is covered or not for itself. */
function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? true;
}

/** The folder or file that a glob begins with. */
function withoutGlob(glob: string): string {
  const parts = glob.split('/');
  const plain = parts.findIndex((part) => /[*?[{!]/.test(part));
  return parts.slice(0, plain < 0 ? parts.length : plain).join('/');
}
