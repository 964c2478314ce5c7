import type { Task } from '../../domain/state/task.ts';
import { renderDiff } from '../../ui/render/render-diff.ts';
import { renderTask } from '../../ui/render/render-task.ts';
import { aheadOf, readAhead } from '../open/read-ahead.ts';
import { showLong } from '../open/show-long.ts';
import type { Showing } from './showing.ts';
import { tellStory } from './tell-story.ts';

/** The whole story of a task, and with --diff what it changes. */
export async function showTask(
  { args, io, reading, snapshot, session }: Showing,
  task: Task,
): Promise<number> {
  const { git, output } = reading;
  const all = await readAhead(reading, io, { session, tasks: snapshot.tasksOf(session.id) });
  const ahead = aheadOf(all, task.id);
  const told = await tellStory(reading, { snapshot, session, task });
  const story = { ...told, ...(ahead === undefined ? {} : { conflicts_ahead: ahead }) };
  output.json(story);
  const { commit, start_commit: start } = task;
  const isDiffWanted = args.options.diff && story.work !== null && commit !== null && start !== null;
  const diff = isDiffWanted ? ['', renderDiff(await git.diffText(start, commit), output.style)] : [];
  await showLong(output, io, [renderTask(story, output.style), ...diff].join('\n'));
  return 0;
}
