import * as z from 'zod';
import type { ChangesetDecision, ChangesetQuestion } from '../../domain/ports/changeset-question.ts';
import type { AskedChangeset, Undoable } from '../../domain/shown/gate.ts';
import type { Changeset } from '../../domain/state/changeset.ts';
import { isRed } from '../../domain/state/is-red.ts';
import { givenCommentsSchema } from '../../domain/state/line-comment.ts';
import { formatCount } from '../../util/format-amount.ts';
import { renderAnswered } from '../render/render-answered.ts';
import { renderDoubt } from '../render/render-doubt.ts';
import { renderExcluding } from '../render/render-excluding.ts';
import { renderOnTop } from '../render/render-on-top.ts';
import { askedCheck, otherAttempts, requireOther } from './ask-about-validation.ts';
import { boundedDiff } from './bounded-diff.ts';
import { type DeskQuestion, parseAnswer, wordsSchema } from './desk-question.ts';
import { badAnswer, nothingDecided } from './refused-answers.ts';

const schema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('approve'),
    override: wordsSchema.optional(),
    message: wordsSchema.optional(),
    comments: givenCommentsSchema.optional(),
  }),
  z.strictObject({
    kind: z.literal('reject'),
    reason: wordsSchema,
    tasks: z.array(z.string().max(200)).min(1).max(10_000).optional(),
    keep: z.boolean().default(false),
    comments: givenCommentsSchema.optional(),
  }),
  z.strictObject({ kind: z.literal('skip') }),
  z.strictObject({ kind: z.literal('choose'), task: z.string().max(200), attempt: z.int().min(1) }),
  z.strictObject({ kind: z.literal('undo'), changeset: z.string().max(200) }),
]);

const wholeOnPage = 'the review page has it whole: git flame review --web';

export async function aboutChangeset(question: ChangesetQuestion): Promise<DeskQuestion<ChangesetDecision>> {
  const asks = await describe(question);
  return {
    asks,
    substance: question.changeset,
    about: `changeset ${question.changeset.group}`,
    read: (answer) => read(question, asks, answer),
    text: async (what) => {
      if (what === 'message') return (await question.showMessage?.()) ?? null;
      return what === 'diff' ? boundedDiff(await question.showDiff(), wholeOnPage) : null;
    },
  };
}

async function read(
  question: ChangesetQuestion,
  { tasks, red, others, has_message: hasMessage }: AskedChangeset,
  answer: unknown,
): Promise<ChangesetDecision> {
  const given = parseAnswer(schema, answer);
  switch (given.kind) {
    case 'approve': {
      const { override, message, comments } = given;
      if (red && override === undefined)
        throw badAnswer('its diagnostics fail, so an approval says why it lands all the same');
      if (message !== undefined && !hasMessage) throw badAnswer('its commits land with their own messages');
      await requireForm(question, message);
      return {
        kind: 'approve',
        ...(red && override !== undefined ? { override } : {}),
        ...(message === undefined ? {} : { message }),
        ...(comments === undefined ? {} : { comments }),
      };
    }
    case 'reject': {
      const { keep, tasks: some, comments, ...rest } = given;
      const strange = some?.find((one) => !tasks.some(({ id }) => id === one));
      if (strange !== undefined) throw badAnswer(`it holds no task ${strange}`);
      const isPart = some !== undefined && new Set(some).size < tasks.length;
      return {
        ...rest,
        ...(isPart ? { tasks: [...new Set(some)] } : {}),
        ...(comments === undefined ? {} : { comments }),
        ...(keep ? { keep } : {}),
      };
    }
    case 'choose':
      requireOther(others, given.task, given.attempt);
      return given;
    case 'undo':
      await requireUndoable(question, given.changeset);
      return given;
    case 'skip':
      return given;
  }
}

/** Said before the answer counts: the landing would refuse it, and end the run. */
async function requireForm(
  { changeset, checkMessage }: ChangesetQuestion,
  message: string | undefined,
): Promise<void> {
  const wrong = message === undefined ? null : ((await checkMessage?.(changeset.id, message)) ?? null);
  if (wrong !== null) throw badAnswer(wrong.replace(/\.$/, ''));
}

async function requireUndoable({ undoable }: ChangesetQuestion, changeset: string): Promise<void> {
  const known = (await undoable?.()) ?? [];
  if (!known.some(({ id }) => id === changeset)) throw nothingDecided(changeset);
}

async function describe(question: ChangesetQuestion): Promise<AskedChangeset> {
  const { changeset, position, total, tasks, verdicts } = question;
  const { id, group, commit, diffstat, depends_on, missing } = changeset;
  const answers = renderAnswered(changeset, tasks);
  const onTop = (await question.onTop?.(id)) ?? [];
  return {
    ...{ gate: 'changesets', id, group, commit, diffstat, depends_on, missing, position, total },
    tasks: tasks.map((task) => {
      const own = verdicts.findLast((one) => one.task === task.id && one.commit === task.commit);
      return {
        id: task.id,
        title: task.title,
        verdict: own?.status ?? null,
        notes: [own?.notes ?? '', ...(own?.issues ?? [])].filter(Boolean).join('\n'),
      };
    }),
    ...(answers.length === 0 ? {} : { answers }),
    red: isRed(changeset),
    checks: changeset.diagnostics.map(askedCheck),
    warnings: await warningsOf(question),
    on_top: renderOnTop(onTop),
    others: otherAttempts(tasks),
    has_message: question.showMessage !== undefined,
    undoable: ((await question.undoable?.()) ?? []).map(describeUndoable),
  };
}

async function warningsOf(question: ChangesetQuestion): Promise<readonly string[]> {
  const { changeset, doubts = [], blocked = [] } = question;
  const { missing, depends_on: below } = changeset;
  return [
    ...(missing.length > 0
      ? [`The group is incomplete: ${missing.join(', ')} had not passed when it was built.`]
      : []),
    ...(below.length > 0 ? [`Builds on ${below.join(', ')}: without it, it is deferred.`] : []),
    ...doubts.map(renderDoubt),
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
