import type { Task } from '../../domain/state/task.ts';
import { sinceSentBack } from '../../engine/review/since-seen.ts';
import { renderDiff } from '../../ui/render/render-diff.ts';
import { renderSince } from '../../ui/render/render-since.ts';
import { renderTask } from '../../ui/render/render-task.ts';
import { renderUnverified } from '../../ui/render/render-unverified.ts';
import { aheadOf, readAhead } from '../open/read-ahead.ts';
import { showLong } from '../open/show-long.ts';
import { renderLeft } from './left-diff.ts';
import { renderInterdiff } from './render-interdiff.ts';
import { type Showing, unverifiedIn } from './showing.ts';
import { tellStory } from './tell-story.ts';

/** The whole story of a task, and with --diff what it changes. */
export async function showTask(showing: Showing, task: Task): Promise<number> {
  const { args, io, reading, snapshot, session } = showing;
  const { git, output } = reading;
  const all = await readAhead(reading, io, { session, tasks: snapshot.tasksOf(session.id) });
  const ahead = aheadOf(all, task.id);
  const told = await tellStory(reading, { snapshot, session, task });
  const story = { ...told, ...(ahead === undefined ? {} : { conflicts_ahead: ahead }) };
  const unverified = unverifiedIn(showing, task.id);
  const since = await sinceSentBack(reading, task);
  output.json({
    ...story,
    ...(unverified.length === 0 ? {} : { doubts: unverified }),
    ...(since === null ? {} : { since }),
  });
  const { commit, start_commit: start } = task;
  const isDiffWanted = args.options.diff && story.work !== null && commit !== null && start !== null;
  const accepted = isDiffWanted ? ['', renderDiff(await git.diffText(start, commit), output.style)] : [];
  const diff = args.options.diff && story.work === null ? await renderLeft(showing, story) : accepted;
  const compared = [
    ...(since === null
      ? []
      : ['', output.style.bold('Since the last round'), ...renderSince(since, output.style)]),
    ...(args.options.interdiff ? await renderInterdiff(showing, task.id, since) : []),
  ];
  const doubted = unverified.length === 0 ? [] : ['', ...renderUnverified(unverified, output.style)];
  await showLong(output, io, [renderTask(story, output.style), ...doubted, ...compared, ...diff].join('\n'));
  return 0;
}
