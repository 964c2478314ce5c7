import { listTasksInEvidenceDoubt } from '../../core/changesets/build-evidence.ts';
import { FlameError } from '../../domain/flame-error.ts';
import { summarizeGuide, toGuideData } from '../../domain/questions/guide-summary.ts';
import type { Changeset, ChangesSinceSeen } from '../../domain/state/changeset.ts';
import type { Task } from '../../domain/state/task-schema.ts';
import type { TaskStory } from '../../domain/view-models/task-story.ts';
import { computeChangesSinceSeen, computeChangesSinceSentBack } from '../../engine/review/changes-since-seen.ts';
import { readGuidedDiff, tryReadReadingGuide } from '../../engine/review/read-guide.ts';
import { renderChangesSinceSeen } from '../../ui/render/render-changes-since-seen.ts';
import { renderChangeset } from '../../ui/render/render-changeset.ts';
import { renderChangesetDecision } from '../../ui/render/render-changeset-decision.ts';
import { diffCommand, renderDiff } from '../../ui/render/render-diff.ts';
import { renderTask } from '../../ui/render/render-task.ts';
import { renderUnverifiedCompletions } from '../../ui/render/render-unverified.ts';
import { toPrintableLine } from '../../ui/text/printable-text.ts';
import { showOutputInPager } from '../context/git-preferences.ts';
import { predictSessionConflicts, selectConflictsOfTask } from '../context/waits-and-conflicts.ts';
import { gatherStory } from './gather-story.ts';
import { listUntrustedChangesets, listUnverifiedCompletions, type ShowOptions } from './show-options.ts';

/** The whole story of a task, and with --diff what it changes. */
export async function showTask(showing: ShowOptions, task: Task): Promise<number> {
  const { args, io, reading, snapshot, session } = showing;
  const { git, output } = reading;
  const all = await predictSessionConflicts(reading, io, { session, tasks: snapshot.tasksOf(session.id) });
  const ahead = selectConflictsOfTask(all, task.id);
  const gathered = await gatherStory(reading, { snapshot, session, task });
  const story = { ...gathered, ...(ahead === undefined ? {} : { conflicts_ahead: ahead }) };
  const unverified = listUnverifiedCompletions(showing, task.id);
  const since = await computeChangesSinceSentBack(reading, task);
  output.json({
    ...story,
    ...(unverified.length === 0 ? {} : { doubts: unverified }),
    ...(since === null ? {} : { since }),
  });
  const { commit, start_commit: start } = task;
  const isDiffWanted = args.options.diff && story.work !== null && commit !== null && start !== null;
  const accepted = isDiffWanted
    ? ['', renderDiff(await git.diffText(start, commit), output.style, diffCommand(task.id))]
    : [];
  const diff = args.options.diff && story.work === null ? await renderLeftWork(showing, story) : accepted;
  const compared = [
    ...(since === null
      ? []
      : ['', output.style.bold('Since the last round'), ...renderChangesSinceSeen(since, output.style)]),
    ...(args.options.interdiff ? await renderInterdiff(showing, task.id, since) : []),
  ];
  const doubted = unverified.length === 0 ? [] : ['', ...renderUnverifiedCompletions(unverified, output.style)];
  await showOutputInPager(output, io, [renderTask(story, output.style), ...doubted, ...compared, ...diff].join('\n'));
  return 0;
}

/** A changeset with its tasks and verdicts, what was decided about it, and with --diff what it changes. */
export async function showChangeset(showing: ShowOptions, changeset: Changeset): Promise<number> {
  const { args, io, reading, snapshot, session } = showing;
  const { git, output } = reading;
  const tasks = showing.tasks.filter(({ id }) => changeset.tasks.includes(id));
  const verdicts = tasks.flatMap(({ commit }) => (commit === null ? [] : snapshot.verdictsOn(commit).slice(-1)));
  const position = session.changesets.indexOf(changeset) + 1;
  const total = session.changesets.length;
  const doubts = listTasksInEvidenceDoubt(snapshot, tasks);
  const isHere = (await git.resolveCommit(changeset.commit)) !== null;
  const files = isHere ? await git.fileStats(changeset.parent, changeset.commit) : [];
  const review = changeset.landed_commit === null ? null : snapshot.reviewOn(changeset.landed_commit);
  const counts = !listUntrustedChangesets(session, snapshot.admitted(session.id).session).includes(changeset.id);
  const since = isHere ? await computeChangesSinceSeen(reading, session, { changeset, tasks }) : null;
  const guided = isHere ? await tryReadReadingGuide(reading, { changeset, tasks }) : null;
  output.json({
    changeset,
    counts,
    verdicts,
    doubts,
    files,
    review,
    ...(since === null ? {} : { since }),
    ...(guided === null ? {} : { guide: toGuideData(guided.guide, Number.POSITIVE_INFINITY) }),
  });
  const compared = { ...(since === null ? {} : { since }), ...(guided === null ? {} : { guide: guided.guide }) };
  const isEachShown = guided !== null && summarizeGuide(guided.guide).every(({ more }) => more.files === 0);
  const view = { changeset, position, total, tasks, verdicts, doubts, session, ...compared };
  const text = [
    renderChangeset(view, output.style),
    renderChangesetDecision({ changeset, counts, files: isEachShown ? [] : files, review }, output.style),
    ...(args.options.diff && isHere
      ? ['', renderDiff(await readGuidedDiff(reading, changeset, guided), output.style, diffCommand(changeset.id))]
      : []),
    ...(args.options.interdiff ? await renderInterdiff(showing, changeset.group, since) : []),
  ];
  await showOutputInPager(output, io, text.join('\n'));
  reading.shown.recordSeen(session.id, [changeset]);
  return 0;
}

/**
 * Renders what the last attempt at a task left unaccepted: the files of its worktree, else its latest rescue. Lines;
 * none where nothing of it is left, or while it is worked on.
 */
async function renderLeftWork(
  { reading: { git, output } }: Pick<ShowOptions, 'reading'>,
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
    const said =
      text instanceof FlameError ? toPrintableLine(text.message) : renderDiff(text, output.style, diffCommand(task.id));
    return ['', output.style.bold(toPrintableLine(where)), said];
  };
  if (cell !== undefined) return shown(`Not accepted, in ${cell.path}`, () => git.diffCell(cell));
  if (rescue === undefined || rescue.start === null) return [];
  const { start, commit, name } = rescue;
  return shown(`Not accepted, kept as rescue ${name}`, () => git.diffText(start, commit));
}

/** The difference to what the person saw, as lines. Throws FlameError `no-earlier-version` where they saw none. */
async function renderInterdiff(
  { reading: { git, output } }: Pick<ShowOptions, 'reading'>,
  name: string,
  since: ChangesSinceSeen | null,
): Promise<readonly string[]> {
  if (since === null) throw noEarlierVersion(name);
  return ['', renderDiff(await git.diffText(since.from, since.to), output.style, diffCommand(name, '--interdiff'))];
}

function noEarlierVersion(name: string): FlameError {
  return new FlameError({
    kind: 'refused',
    code: 'no-earlier-version',
    message: `This clone has no earlier version of ${name} that was sent back or skipped.`,
    hints: [`git flame show ${name} --diff`],
  });
}
