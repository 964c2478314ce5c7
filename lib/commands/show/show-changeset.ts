import { doubtsOf } from '../../core/changesets/evidence.ts';
import type { Changeset } from '../../domain/state/changeset.ts';
import { sinceSeen } from '../../engine/review/since-seen.ts';
import { renderChangeset } from '../../ui/render/render-changeset.ts';
import { renderDecision } from '../../ui/render/render-decision.ts';
import { renderDiff } from '../../ui/render/render-diff.ts';
import { showLong } from '../open/show-long.ts';
import { renderInterdiff } from './render-interdiff.ts';
import { type Showing, uncountedOf } from './showing.ts';

/** A changeset with its tasks and verdicts, what was decided about it, and with --diff what it changes. */
export async function showChangeset(showing: Showing, changeset: Changeset): Promise<number> {
  const { args, io, reading, snapshot, session } = showing;
  const { git, output } = reading;
  const tasks = showing.tasks.filter(({ id }) => changeset.tasks.includes(id));
  const verdicts = tasks.flatMap(({ commit }) =>
    commit === null ? [] : snapshot.verdictsOn(commit).slice(-1),
  );
  const position = session.changesets.indexOf(changeset) + 1;
  const total = session.changesets.length;
  const doubts = doubtsOf(snapshot, tasks);
  const isHere = (await git.resolveCommit(changeset.commit)) !== null;
  const files = isHere ? await git.fileStats(changeset.parent, changeset.commit) : [];
  const review = changeset.landed_commit === null ? null : snapshot.reviewOn(changeset.landed_commit);
  const counts = !uncountedOf(session, snapshot.admitted(session.id).session).includes(changeset.id);
  const since = isHere ? await sinceSeen(reading, session, { changeset, tasks }) : null;
  output.json({ changeset, counts, verdicts, doubts, files, review, ...(since === null ? {} : { since }) });
  const compared = since === null ? {} : { since };
  const view = { changeset, position, total, tasks, verdicts, doubts, session, ...compared };
  const text = [
    renderChangeset(view, output.style),
    renderDecision({ changeset, counts, files, review }, output.style),
    ...(args.options.diff && isHere
      ? ['', renderDiff(await git.diffText(changeset.parent, changeset.commit), output.style)]
      : []),
    ...(args.options.interdiff ? await renderInterdiff(showing, changeset.group, since) : []),
  ];
  await showLong(output, io, text.join('\n'));
  reading.shown.note(session.id, [changeset]);
  return 0;
}
