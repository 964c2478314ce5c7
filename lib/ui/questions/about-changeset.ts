import type { ChangesetDecision, ChangesetQuestion } from '../../domain/ports/changeset-question.ts';
import { answersTo } from '../../domain/questions/answers-to.ts';
import type { ChangesetFacts } from '../../domain/questions/changeset-answers.ts';
import type { AskedChangeset, Undoable } from '../../domain/questions/gate.ts';
import { badAnswer, parseAnswer } from '../../domain/questions/parse-answer.ts';
import type { Changeset } from '../../domain/state/changeset.ts';
import { isRed } from '../../domain/state/changeset-facts.ts';
import { formatCount } from '../../util/format-figures.ts';
import {
  renderAnswered,
  renderEvidenceDoubt,
  renderExcluding,
  renderOnTop,
} from '../render/changeset-lines.ts';
import { otherAttempts } from '../render/render-attempts.ts';
import { boundedDiff, type Question } from './about-question.ts';
import { askedCheck } from './about-validation.ts';

const wholeOnPage = 'the review page shows all of it: git flame review --web';

export async function aboutChangeset(question: ChangesetQuestion): Promise<Question<ChangesetDecision>> {
  const asks = await describe(question);
  return {
    asks,
    substance: question.changeset,
    about: `changeset ${question.changeset.group}`,
    decide: (given) => decideChangeset(question, given),
    text: async (what) => {
      if (what === 'message') return (await question.showMessage?.()) ?? null;
      return what === 'diff' ? boundedDiff(await question.showDiff(), wholeOnPage) : null;
    },
  };
}

/** Facts that its answers depend on, as they are now. */
export async function changesetFacts(question: ChangesetQuestion): Promise<ChangesetFacts> {
  const { changeset, tasks, verdicts } = question;
  return {
    gate: 'changesets',
    red: isRed(changeset),
    tasks: tasks.map((task) => {
      const own = verdicts.findLast((one) => one.task === task.id && one.commit === task.commit);
      return {
        id: task.id,
        title: task.title,
        verdict: own?.status ?? null,
        notes: [own?.notes ?? '', ...(own?.issues ?? [])].filter(Boolean).join('\n'),
      };
    }),
    others: otherAttempts(tasks),
    has_message: question.showMessage !== undefined,
    undoable: ((await question.undoable?.()) ?? []).map(describeUndoable),
  };
}

/** Turns an answer into a decision. Throws FlameError `bad-answer`. */
export async function decideChangeset(
  question: ChangesetQuestion,
  answer: unknown,
): Promise<ChangesetDecision> {
  const facts = await changesetFacts(question);
  const given = parseAnswer<ChangesetDecision>(answersTo(facts), answer);
  if (given.kind === 'approve' && given.message !== undefined) {
    // Said before the answer counts: the landing would refuse it, and end the run.
    const wrong = (await question.checkMessage?.(question.changeset.id, given.message)) ?? null;
    if (wrong !== null) throw badAnswer(wrong.replace(/\.$/, ''));
  }
  if (given.kind !== 'reject' || given.tasks?.length !== facts.tasks.length) return given;
  const { tasks: _, ...all } = given;
  return all;
}

async function describe(question: ChangesetQuestion): Promise<AskedChangeset> {
  const { changeset, position, total, tasks } = question;
  const { id, group, commit, diffstat, depends_on, missing } = changeset;
  const answers = renderAnswered(changeset, tasks);
  const onTop = (await question.onTop?.(id)) ?? [];
  return {
    ...(await changesetFacts(question)),
    id,
    group,
    commit,
    diffstat,
    depends_on,
    missing,
    position,
    total,
    ...(answers.length === 0 ? {} : { answers }),
    checks: changeset.diagnostics.map(askedCheck),
    warnings: await warningsOf(question),
    on_top: renderOnTop(onTop),
  };
}

async function warningsOf(question: ChangesetQuestion): Promise<readonly string[]> {
  const { changeset, doubts = [], blocked = [] } = question;
  const { missing, depends_on: below } = changeset;
  return [
    ...(missing.length > 0
      ? [`The group is incomplete: ${missing.join(', ')} had not passed when it was built.`]
      : []),
    ...(below.length > 0 ? [`Stacked on ${below.join(', ')}: approve that first, or this is deferred.`] : []),
    ...doubts.map(renderEvidenceDoubt),
    ...blocked.map(
      ({ agent, blocked: calls, top }) =>
        `${agent}: ${formatCount(calls, 'call')} blocked${top.length === 0 ? '' : `: ${top.join('; ')}`}`,
    ),
    ...renderExcluding((await question.excluding?.(changeset.id)) ?? []),
  ];
}

export function describeUndoable({ id, group, state, reason }: Changeset): Undoable {
  return { id, group, state, reason: reason ?? '' };
}
