import { changesetsOfCycle } from '../../core/schedule/next-action.ts';
import { noChangeset } from '../../domain/bad-input.ts';
import type { SessionId } from '../../domain/ids.ts';
import type { ChangesetDecision, ChangesetQuestion } from '../../domain/ports/changeset-question.ts';
import type { Gates, Placed } from '../../domain/ports/gates.ts';
import type { CommandArgs, Io } from '../../domain/shown/command.ts';
import type { Changeset } from '../../domain/state/changeset.ts';
import { viewSession } from '../../engine/record.ts';
import { requireCommit } from '../../engine/review/record-decision.ts';
import { landingRefused } from '../../engine/review/refuse-landing.ts';
import { nothingToDecide, reviewWave } from '../../engine/review/review-wave.ts';
import { renderOnTop } from '../../ui/render/changeset-lines.ts';
import type { Opened } from '../open/open-workshop.ts';
import { requireOwn } from '../open/own-terminal.ts';
import { withDecisions } from '../open/signed-decisions.ts';
import { preparePullRequest } from '../waves/pull-request.ts';
import { runWave } from '../waves/run-wave.ts';
import { decisionOf } from './decide-changeset.ts';
import { exportReview } from './export-review.ts';
import { takeBackDecision } from './take-back.ts';

/** `git flame review`: each changeset is decided, and what was approved lands. */
export function run(args: CommandArgs<'review'>, io: Io): Promise<number> {
  const decision = decisionOf(args.options);
  const { export: target, takeBack: undone } = args.options;
  if (target !== null) return withDecisions(args, io, (reading) => exportReview(args, io, reading, target));
  if (undone !== null) return takeBackDecision(args, io, undone);
  return runWave(args, io, {
    actions: ['review'],
    notDue:
      decision === null && args.options.changeset === null
        ? null
        : ({ session }) => nothingToDecide(args.options.changeset, changesetsOfCycle(session)),
    perform: async ({ workshop, shown, output, git }, session) => {
      if (decision !== null) requireOwn('What becomes of a changeset', git.repository, io);
      const { only, gates } = await gatesOf(decision, args, { workshop, shown, output }, session);
      const { refused } = await reviewWave({ ...workshop, gates }, session, only);
      if (refused > 0) throw landingRefused(refused);
      return 0;
    },
    follow: (opened, session) => preparePullRequest(opened, io, session),
  });
}

interface Decided {
  readonly only: string | null;
  readonly gates: Gates;
}

/** The person's gates, or a decision of the command line; an approval is about the commits last shown, or one named. */
async function gatesOf(
  decision: ChangesetDecision | null,
  { options }: CommandArgs<'review'>,
  { workshop, shown, output }: Pick<Opened, 'workshop' | 'shown' | 'output'>,
  id: SessionId,
): Promise<Decided> {
  const { changeset: only, commit } = options;
  if (decision === null) return { only, gates: workshop.gates };
  if (decision.kind !== 'approve') {
    const part = decision.kind === 'reject' ? decision.tasks : undefined;
    const { session } = await viewSession(workshop, id);
    const name = part === undefined ? only : holderOf(changesetsOfCycle(session), part, only);
    const decide = async ({ changeset, onTop }: ChangesetQuestion): Promise<Placed<ChangesetDecision>> => {
      // Shown as at a gate, before anything is recorded.
      const above = decision.kind === 'reject' ? await onTop?.(changeset.id, decision.tasks) : [];
      for (const line of renderOnTop(above ?? [])) output.info(line);
      return { ...decision, where: 'command' };
    };
    return { only: name, gates: { ...workshop.gates, changeset: decide } };
  }
  const { session } = await viewSession(workshop, id);
  const waiting = changesetsOfCycle(session).filter(({ state }) => state === 'waiting');
  const named = commit === null ? undefined : waiting.find((one) => one.commit.startsWith(commit));
  const name = only ?? named?.id ?? null;
  const meant = (changeset: Changeset): string | null => commit ?? shown.last(id, changeset.id);
  // All of them before the first is recorded.
  for (const one of waiting)
    if (name === null || one.id === name || one.group === name) requireCommit(one, meant(one));
  const approve = async ({ changeset }: ChangesetQuestion): Promise<Placed<ChangesetDecision>> => ({
    ...decision,
    where: 'command',
    commit: meant(changeset),
  });
  return { only: name, gates: { ...workshop.gates, changeset: approve } };
}

/** The changeset that waits and holds the first of these tasks. Throws FlameError `no-changeset`. */
function holderOf(current: readonly Changeset[], [task]: readonly string[], name: string | null): string {
  const waiting = current.filter(({ state }) => state === 'waiting');
  const found = waiting.find(
    ({ id, group, tasks }) =>
      (name === null || id === name || group === name) && tasks.some((one) => one === task),
  );
  if (found !== undefined) return found.id;
  if (name !== null && !waiting.some(({ id, group }) => id === name || group === name))
    throw nothingToDecide(name, current);
  throw noChangeset(`No changeset that waits for a decision holds task ${task ?? ''}.`, ['git flame status']);
}
