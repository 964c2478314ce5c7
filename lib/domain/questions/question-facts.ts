import { formatCount, formatDuration, formatTokens, formatUsd } from '../../util/format-figures.ts';
import { unreachable } from '../../util/unreachable.ts';
import { separateSharedNotes } from '../state/changeset-facts.ts';
import { listMarkedFiles } from './guide-summary.ts';
import type {
  ChangesetQuestionData,
  CheckDescription,
  PendingQuestion,
  QuestionData,
  QuestionTextKind,
  SessionQuestionData,
} from './question-data.ts';

/** A question in one line. Texts are as they are stored. */
export function renderQuestionTitle(asks: QuestionData): string {
  switch (asks.gate) {
    case 'plan':
      return asks.problems.length === 0
        ? `Approve this plan of ${formatCount(asks.tasks, 'task')}?`
        : `This plan of ${formatCount(asks.tasks, 'task')} has mistakes`;
    case 'validation':
      return `"${asks.title}" failed its validation`;
    case 'validator_failed':
      return `No validator could judge "${asks.title}"`;
    case 'changesets':
      return `Land changeset ${asks.group}?${asks.total === 1 ? '' : ` It is ${asks.position} of ${asks.total}.`}`;
    case 'session':
      return `Cycle ${asks.cycle} is over${asks.answers.includes('continue') ? ': start another?' : ''}`;
    case 'budget':
      return "The session's budget is spent: raise it?";
    case 'base':
      return 'Checks already fail on the base: start agents anyway?';
    case 'question':
      return `${asks.agent} asks about "${asks.title}"`;
    default:
      return unreachable(asks);
  }
}

/** Facts needed to answer: plain data, for every renderer. Texts are as they are stored. */
export type QuestionFact =
  | {
      readonly kind: 'about' | 'text' | 'quiet' | 'warning' | 'attempt';
      readonly text: string;
    }
  | { readonly kind: 'figures'; readonly figures: SessionQuestionData['results'] }
  /** Tasks that need a person's thought. */
  | { readonly kind: 'troubled'; readonly tasks: SessionQuestionData['troubled'] }
  /** `effects`: what the answers lead to. */
  | { readonly kind: 'items' | 'options' | 'effects'; readonly texts: readonly string[] }
  | { readonly kind: 'check'; readonly check: CheckDescription }
  /** A change: what it is of, its size, and whether its checks fail. */
  | {
      readonly kind: 'change';
      readonly changeset: Pick<ChangesetQuestionData, 'commit' | 'diffstat' | 'red'>;
    }
  | { readonly kind: 'task'; readonly task: ChangesetQuestionData['tasks'][number] }
  /** A text that is shown when it is asked for; task: the one whose diff it is too. */
  | { readonly kind: 'shown'; readonly what: QuestionTextKind; readonly task?: string }
  | { readonly kind: 'until'; readonly at: string };

export function listQuestionFacts(asks: QuestionData): readonly QuestionFact[] {
  switch (asks.gate) {
    case 'plan':
      return [
        { kind: 'text', text: asks.objective },
        ...all('warning', asks.problems),
        ...all('quiet', asks.notes),
        { kind: 'shown', what: 'plan' },
      ];
    case 'validation':
      return [
        { kind: 'about', text: asks.task },
        ...all('text', asks.notes === '' ? [] : [`${asks.by}: ${asks.notes}`]),
        { kind: 'items', texts: asks.issues },
        ...checks(asks),
        ...all(
          'attempt',
          asks.others.map(({ attempt, words }) => `attempt ${attempt}: ${words}`),
        ),
        { kind: 'shown', what: 'diff', task: asks.task },
      ];
    case 'validator_failed':
      return [
        { kind: 'about', text: asks.task },
        { kind: 'warning', text: asks.reason },
        ...checks(asks),
        { kind: 'shown', what: 'diff' },
      ];
    case 'changesets':
      return changesetFacts(asks);
    case 'session':
      return [
        { kind: 'figures', figures: asks.results },
        ...(asks.troubled.length === 0 ? [] : [{ kind: 'troubled' as const, tasks: asks.troubled }]),
        { kind: 'effects', texts: asks.lines },
      ];
    case 'budget': {
      const format = asks.unit === 'usd' ? formatUsd : formatTokens;
      return [{ kind: 'text', text: `${format(asks.spent)} of ${format(asks.limit)}.` }];
    }
    case 'base':
      return [
        ...all('warning', asks.failing),
        { kind: 'text', text: 'Agents would be paid for work that cannot pass.' },
      ];
    case 'question':
      return [
        ...all('about', asks.task === null ? [] : [asks.task]),
        ...asks.questions.flatMap(({ question, options, isSeveral }): readonly QuestionFact[] => [
          { kind: 'text', text: `${question}${isSeveral ? ' (choose one or more: 1,2)' : ''}` },
          {
            kind: 'options',
            texts: options.map(
              ({ label, description }, index) => `${index + 1} ${label}${description === '' ? '' : `: ${description}`}`,
            ),
          },
        ]),
        { kind: 'until', at: asks.until },
      ];
    default:
      return unreachable(asks);
  }
}

function changesetFacts(asks: ChangesetQuestionData): readonly QuestionFact[] {
  const { answers } = asks;
  const { shared, own } = separateSharedNotes(asks.tasks);
  return [
    { kind: 'change', changeset: asks },
    ...own.map((task): QuestionFact => ({ kind: 'task', task })),
    ...all('quiet', shared === '' ? [] : [`Each task: ${shared}`]),
    ...(answers === undefined ? [] : all('quiet', ['Addresses these review comments:'])),
    { kind: 'items', texts: answers ?? [] },
    ...all('warning', asks.warnings),
    ...secondLooks(asks),
    ...all('quiet', asks.on_top),
    ...checks(asks),
    ...all(
      'attempt',
      asks.others.map(({ task, attempt, words }) => `${task}, attempt ${attempt}: ${words}`),
    ),
    { kind: 'shown', what: 'diff' },
  ];
}

const mostMarked = 8;

/** Files that deserve a second look, the gravest first, and how many more there are. */
function secondLooks({ guide = [] }: ChangesetQuestionData): readonly QuestionFact[] {
  const marked = listMarkedFiles(guide);
  if (marked.length === 0) return [];
  const texts = marked
    .slice(0, mostMarked)
    .map(({ path, marks }) => `${path}: ${marks.map(({ reason }) => reason).join('; ')}`);
  const rest = marked.length - texts.length;
  return [
    ...all('quiet', ['What deserves a second look:']),
    { kind: 'items', texts: rest > 0 ? [...texts, `and ${rest} more files`] : texts },
  ];
}

type Texts = Extract<QuestionFact, { readonly text: string }>['kind'];

function all(kind: Texts, texts: readonly string[]): readonly QuestionFact[] {
  return texts.map((text) => ({ kind, text }));
}

function checks({ checks: found }: { readonly checks: readonly CheckDescription[] }): readonly QuestionFact[] {
  return found.map((check) => ({ kind: 'check', check }));
}

/** The most time between its end, as set, and the timer that ends it, in milliseconds. */
const tolerance = 100;

/** How a question ended that got no answer, a clause. */
export function describeQuestionWithdrawal(
  { asks, asked_at }: Pick<PendingQuestion, 'asks' | 'asked_at'>,
  goneAt: number,
): string {
  if (asks.gate !== 'question') return 'the question is no longer open';
  const until = Date.parse(asks.until);
  if (goneAt < until - tolerance) return `${asks.agent} ended before its question was answered`;
  const seconds = Math.max(1, Math.round((until - Date.parse(asked_at)) / 1_000));
  const time = formatDuration(seconds * 1_000).replace(/ 00[sm]$/, '');
  return `the question expired after ${time}, and the agent continued without an answer`;
}
