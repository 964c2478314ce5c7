import { askTool } from '../../domain/agent-talk.ts';
import type { ObjectId } from '../../domain/ids.ts';
import { needsModel } from '../../domain/ports/adapter.ts';
import type { GitFiles } from '../../domain/ports/git-contents.ts';
import type { ProjectFile, PromptData, Prompts } from '../../domain/ports/prompt-port.ts';
import type { WithGit, Workshop } from '../workshop.ts';

/**
 * Renders the prompt of an agent, with the project's own templates as they are at `from`. A script's prompt is the
 * script: the task's description as it was planned. Throws FlameError `bad-template`.
 */
export async function agentPrompt(
  workshop: Pick<Workshop, 'adapter' | 'config' | 'prompts'> & WithGit<GitFiles>,
  {
    adapter,
    data,
    from,
  }: { readonly adapter: string; readonly data: PromptData; readonly from: ObjectId | null },
): Promise<Prompts> {
  if (data.role === 'worker' && !needsModel(workshop.adapter(adapter)))
    return { system: '', prompt: data.task.description };
  const told = data.role === 'worker' ? { ...data, askTool: askToolOf(workshop, adapter) } : data;
  return workshop.prompts.render(told, await readProjectFiles(workshop, from));
}

/** By what its model can ask the person; '': by nothing. */
function askToolOf({ adapter, config }: Pick<Workshop, 'adapter' | 'config'>, name: string): string {
  const mayAsk =
    config.limits.question_timeout !== 'never' && !config.permissions.blocked_tools.includes(askTool);
  return mayAsk ? (adapter(name).calls?.asks?.tool ?? '') : '';
}

/** The repository's own words to agents at a commit, each text once: many a CLAUDE.md only leads to AGENTS.md. */
async function readProjectFiles(
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

/** Reads the project's README for the planner; '' without one. */
export async function readReadme(
  { git }: WithGit<Pick<GitFiles, 'readTexts'>>,
  commit: ObjectId,
): Promise<string> {
  return (await git.readTexts(commit, ['README.md'])).get('README.md') ?? '';
}
