import { lstatSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { maskedPaths } from '../../domain/config/cell-paths.ts';
import { listUntracked } from '../../git/worktrees/worktree-paths.ts';
import { hiddenPartOf, isMeant } from '../../policy/hidden-names.ts';
import { hasWildcard, pathMatches } from '../../util/path-globs.ts';
import { isBelow, realPath } from '../../util/path-places.ts';
import type { RunnerContext, WorkTreeView } from '../runner-context.ts';
import { findHidden } from './hidden-files.ts';
import { listPrivateIn } from './private-dependencies.ts';
import { isThere } from './tool-paths.ts';

export const wholeWorkTree: WorkTreeView = { covered: [], kept: [], hidden: [], hiddenFromAgents: [] };

// Programs look upwards from a worktree for these, and what they hold was downloaded.
const dependencies = new Set([
  'node_modules',
  'bower_components',
  'jspm_packages',
  'elm-stuff',
  'vendor',
  'Pods',
  '.bundle',
  '.yarn',
  '.pnp.cjs',
  '.pnp.loader.mjs',
  '.pnp.data.json',
]);
// Each is a mount; where there are more, nothing but dependencies is shown.
const mostCovered = 300;

/**
 * A cell shows of the person's work tree what git tracks there under names that are not hidden, dependencies, and what the configuration links into
 * worktrees: not an `.env` with real keys, not a folder of certificates, however deep they lie.
 */
export async function viewWorkTree({
  repository,
  config,
  env,
}: Pick<RunnerContext, 'repository' | 'config' | 'env'>): Promise<WorkTreeView> {
  const { mainWorkTree, commonDir } = repository;
  if (mainWorkTree === null) return wholeWorkTree;
  const { link } = config.project;
  const covered: string[] = [];
  const kept = link.map((glob) => join(mainWorkTree, withoutGlob(glob))).filter(isThere);
  const hidden: string[] = [];
  const hiddenFromAgents: string[] = [];
  const globs = maskedPaths(config.permissions);
  const hiddenPart = hiddenPartOf(globs);
  const look = { root: mainWorkTree, blocked: globs, most: mostCovered };
  for (const entry of await listUntracked({ cwd: mainWorkTree, env })) {
    const name = entry.replace(/\/$/, '');
    const path = join(mainWorkTree, name);
    const isLinked = link.some((glob) => pathMatches(glob, name));
    if (isBelow(commonDir, path)) continue;
    const found = isDependency(path) || isLinked ? await listPrivateIn(name, look) : null;
    if (found === null) covered.push(path);
    else {
      kept.push(path, realPath(path));
      const named = hiddenPart(name) === null ? found : [realPath(path)];
      const isMeantFor = (one: string): boolean =>
        isMeant(globs, link, relative(realPath(mainWorkTree), one));
      hidden.push(...named.filter((one) => !isMeantFor(one)));
      hiddenFromAgents.push(...named.filter(isMeantFor));
    }
  }
  // A committed file under a hidden name is no more shown to an agent here than in its own worktree.
  covered.push(...(await findHidden({ cwd: mainWorkTree, env }, config, { showsCopies: false })));
  const files = covered.filter((path) => !isLink(path));
  return { covered: files.length > mostCovered ? [mainWorkTree] : files, kept, hidden, hiddenFromAgents };
}

function isDependency(path: string): boolean {
  return dependencies.has(basename(path)) || isThere(join(path, 'pyvenv.cfg'));
}

/** Whether a path is a link: its target is covered or not on its own account. */
function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? true;
}

/** The folder or file that a glob begins with. */
function withoutGlob(glob: string): string {
  const parts = glob.split('/');
  const plain = parts.findIndex(hasWildcard);
  return parts.slice(0, plain < 0 ? parts.length : plain).join('/');
}
