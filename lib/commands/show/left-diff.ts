import { FlameError } from '../../domain/flame-error.ts';
import type { TaskStory } from '../../domain/shown/task-story.ts';
import { renderDiff } from '../../ui/render/render-diff.ts';
import { visibleLine } from '../../ui/text/visible-text.ts';
import type { Showing } from './showing.ts';

/**
 * Renders what the last attempt at a task left unaccepted: the files of its worktree, else its latest rescue. Lines;
 * none where nothing of it is left, or while it is worked on.
 */
export async function renderLeft(
  { reading: { git, output } }: Pick<Showing, 'reading'>,
  { task, worktrees, rescues }: Pick<TaskStory, 'task' | 'worktrees' | 'rescues'>,
): Promise<readonly string[]> {
  if (task.status === 'claimed') return [];
  const cell = (await git.cells()).findLast(({ path }) => worktrees.includes(path));
  const rescue = rescues.at(-1);
  const shown = async (where: string, diff: () => Promise<string>): Promise<readonly string[]> => {
    const text = await diff().catch((error: unknown) => {
      if (error instanceof FlameError) return error;
      throw error;
    });
    const said = text instanceof FlameError ? visibleLine(text.message) : renderDiff(text, output.style);
    return ['', output.style.bold(visibleLine(where)), said];
  };
  if (cell !== undefined) return shown(`Not accepted, in ${cell.path}`, () => git.diffCell(cell));
  if (rescue === undefined || rescue.start === null) return [];
  const { start, commit, name } = rescue;
  return shown(`Not accepted, kept as rescue ${name}`, () => git.diffText(start, commit));
}
