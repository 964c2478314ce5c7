import type { Task } from '../../domain/state/task.ts';
import { renderDiff } from '../../ui/render/render-diff.ts';
import { renderDoubts } from '../../ui/render/render-doubts.ts';
import { renderTask } from '../../ui/render/render-task.ts';
import { aheadOf, readAhead } from '../open/read-ahead.ts';
import { showLong } from '../open/show-long.ts';
import { doubtsIn, type Showing } from './showing.ts';
import { tellStory } from './tell-story.ts';

/** The whole story of a task, and with --diff what it changes. */
export async function showTask(showing: Showing, task: Task): Promise<number> {
  const { args, io, reading, snapshot, session } = showing;
  const { git, output } = reading;
  const all = await readAhead(reading, io, { session, tasks: snapshot.tasksOf(session.id) });
  const ahead = aheadOf(all, task.id);
  const told = await tellStory(reading, { snapshot, session, task });
  const story = { ...told, ...(ahead === undefined ? {} : { conflicts_ahead: ahead }) };
  const doubts = doubtsIn(showing, task.id);
  output.json(doubts.length === 0 ? story : { ...story, doubts });
  const { commit, start_commit: start } = task;
  const isDiffWanted = args.options.diff && story.work !== null && commit !== null && start !== null;
  const diff = isDiffWanted ? ['', renderDiff(await git.diffText(start, commit), output.style)] : [];
  const doubted = doubts.length === 0 ? [] : ['', ...renderDoubts(doubts, output.style)];
  await showLong(output, io, [renderTask(story, output.style), ...doubted, ...diff].join('\n'));
  return 0;
}
