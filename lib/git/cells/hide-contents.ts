import { writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { braceExpand } from 'minimatch';
import type { Quarantine } from '../../domain/ports/git-cells.ts';
import { readTextOrEmpty } from '../../util/read-file.ts';
import { withVariables } from '../objects/git-access.ts';
import { buildInertDriverVariables, readGitSettings } from '../process/git-settings.ts';
import { type GitContext, runGit } from '../process/run-git.ts';
import { hiddenPathsAttributesFile } from './agent-refs.ts';

const heading = '# Hidden from agents; written before each cell.\n';

/**
 * Has the git of a worktree's cells take files of these globs for binary ones and leave them out of archives, so that no diff,
 * log or search shows what they hold in other commits. What is asked for by name or id is shown as before.
 */
export function hideContentsFromAgentGit(
  { worktreeGitDir }: Pick<Quarantine, 'worktreeGitDir'>,
  globs: readonly string[],
): void {
  const file = join(worktreeGitDir, hiddenPathsAttributesFile);
  const [others = ''] = readTextOrEmpty(file).split(heading);
  if (globs.length === 0) return;
  writeFileSync(
    file,
    `${others.replace(/\n*$/, others === '' ? '' : '\n')}${heading}${renderHidingAttributes(globs).join('')}`,
  );
}

/** The lines of gitattributes(5) for globs that name paths of a repository; of two that match a path the later one counts. */
export function renderHidingAttributes(globs: readonly string[]): readonly string[] {
  const all = globs.flatMap((glob) => braceExpand(glob));
  const open = all.filter((glob) => /!\([^()]*\)/.test(glob));
  const plain = all.filter((glob) => !open.includes(glob));
  const kept = open.flatMap((glob) => {
    const [, head = '', choices = '', tail = ''] = /^(.*?)!\(([^()]*)\)(.*)$/s.exec(glob) ?? [];
    return choices.split('|').map((choice) => `${head}${choice}${tail}`);
  });
  return [
    ...open.flatMap((glob) => lines(glob, '-diff export-ignore')),
    ...kept.flatMap((glob) => lines(glob, '!diff !export-ignore')),
    ...plain.flatMap((glob) => lines(glob, '-diff export-ignore')),
  ];
}

/** A path and all that lies below it. */
function lines(glob: string, attributes: string): readonly string[] {
  const wide = glob
    .replace(/^(?:\.\/)+/, '')
    .replace(/[@+*?!]\([^()]*\)/g, '*')
    .replace(/\/+$/, '');
  const anchored = wide.startsWith('**/') || wide.startsWith('/') ? wide : `/${wide}`;
  const patterns = anchored.endsWith('/**') ? [anchored] : [anchored, `${anchored}/**`];
  return patterns.map((pattern) => `${quoted(inAnyCase(pattern))} ${attributes}\n`);
}

/** File systems may not part cases, and hidden names are compared without. */
function inAnyCase(pattern: string): string {
  return pattern.replace(/\[[^\]]*\]|\p{L}/gu, (one) => {
    const [lower, upper] = [one.toLowerCase(), one.toUpperCase()];
    return one.length > 1 || lower === upper || upper.length > 1 ? one : `[${lower}${upper}]`;
  });
}

function quoted(pattern: string): string {
  return /[\s"\\]/.test(pattern) ? `"${pattern.replace(/["\\]/g, '\\$&')}"` : pattern;
}

/**
 * Marks paths (absolute, below the worktree) that its cell shows empty as skip-worktree: for the agent's git they are
 * as they were committed. Untracked paths are left out.
 */
export async function markSkipWorktree(context: GitContext, paths: readonly string[]): Promise<void> {
  if (paths.length === 0) return;
  const names = paths.map((path) => relative(context.cwd, path));
  const { stdout } = await runGit(context, ['--literal-pathspecs', 'ls-files', '-z', '--', ...names]);
  if (stdout.length === 0) return;
  // Written again, the index compares files that are as young as it is, through the filters that attributes name.
  const inert = withVariables(context, buildInertDriverVariables(await readGitSettings(context)));
  await runGit(inert, ['update-index', '-z', '--skip-worktree', '--stdin'], { input: stdout });
}
