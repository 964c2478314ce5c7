import type { ObjectId } from '../../domain/ids.ts';
import type { GitFiles } from '../../domain/ports/git-contents.ts';
import type { ProjectFile } from '../../domain/ports/prompt-port.ts';
import type { WithGit, Workshop } from '../workshop.ts';

/** The repository's own words to agents at a commit, each text once: many a CLAUDE.md only leads to AGENTS.md. */
export async function readProjectFiles(
  { config, git }: Pick<Workshop, 'config'> & WithGit<GitFiles>,
  commit: ObjectId | null,
): Promise<readonly ProjectFile[]> {
  const paths = config.prompts.project_files;
  if (commit === null || paths.length === 0) return [];
  const texts = await git.readTexts(commit, paths);
  const seen = new Set<string>();
  return paths.flatMap((path) => {
    const text = texts.get(path)?.trim() ?? '';
    if (text === '' || seen.has(text) || paths.includes(text.replace(/^@?(?:\.\/)?/, ''))) return [];
    seen.add(text);
    return [{ path, text }];
  });
}
