import type { ChangesetDecision, ChangesetQuestion } from '../../domain/ports/changeset-question.ts';
import type { AnswerInput } from '../../domain/questions/answer-definition.ts';
import { listOfferedAnswers } from '../../domain/questions/offered-answers.ts';
import type { LineComment } from '../../domain/state/line-comment.ts';
import { wrapText } from '../../util/format-width.ts';
import { renderExcludingChangesets, renderRejectionEffects } from '../render/changeset-lines.ts';
import { renderChangeset } from '../render/render-changeset.ts';
import { diffCommand } from '../render/render-diff.ts';
import { toPrintableLine } from '../text/printable-text.ts';
import { type AnswerPromptOptions, askUntilDecided, type ExtraKey } from './ask-answer.ts';
import { askChoice, type KeyChoice, type TerminalAsking } from './ask-at-terminal.ts';
import type { GateContext } from './gate-context.ts';
import {
  askLineComment,
  editChangesetLines,
  type KeptLineComments,
  moveCommentsAfterEdit,
  printKeptComments,
} from './kept-line-comments.ts';
import { parseChangesetDecision, readChangesetAnswerFacts } from './prepare-changeset-question.ts';
import { describeUnansweredChangeset } from './waits-for-person-error.ts';

/**
 * Shows a changeset and asks what becomes of it; a red one is approved only with a reason. `prepareBrowserOpening`
 * opens the review page, where one can be opened; `kept`: comments of the question before.
 */
export async function askChangesetDecision(
  context: GateContext,
  question: ChangesetQuestion,
  { kept, openPage }: { readonly kept: KeptLineComments; readonly openPage?: (() => Promise<void>) | undefined },
): Promise<ChangesetDecision> {
  const comments = kept.of(question);
  const asking = context.asking(describeUnansweredChangeset(question, await readChangesetAnswerFacts(question)));
  const asked: ChangesetDialog = {
    context,
    question,
    asking,
    comments,
    page: openPage ?? null,
    message: null,
  };
  await showChangesetFacts(asked);
  const decision = await askUntilDecided(async () => offerOf(asked, await readChangesetAnswerFacts(question)));
  if (decision.kind === 'approve' || decision.kind === 'reject' || decision.kind === 'skip') kept.forget(question);
  return decision;
}

/** State of a question about a changeset while it is asked. */
interface ChangesetDialog {
  readonly context: GateContext;
  readonly question: ChangesetQuestion;
  readonly asking: TerminalAsking;
  /** They go along with a decision. */
  readonly comments: LineComment[];
  /** Opens the review page; null: there is none, or it is open. */
  page: (() => Promise<void>) | null;
  /** Its edited commit message; null: the one written for it. */
  message: string | null;
}

/** Shows the changeset with the facts for the decision. */
async function showChangesetFacts({ context, question, comments }: ChangesetDialog): Promise<void> {
  const { style, print } = context;
  const { id } = question.changeset;
  const guide = (await question.readGuide?.()) ?? null;
  print(renderChangeset({ ...question, ...(guide === null ? {} : { guide }) }, style));
  for (const line of renderExcludingChangesets((await question.excluding?.(id)) ?? []))
    print(wrapText(`warning: ${line}`, style.width, '  ').map(style.yellow).join('\n'));
  for (const line of renderRejectionEffects((await question.onTop?.(id)) ?? []))
    print(wrapText(line, style.width, '  ').join('\n'));
  await printKeptComments(context, comments, question);
}

function offerOf(
  asked: ChangesetDialog,
  facts: Parameters<typeof listOfferedAnswers>[0],
): AnswerPromptOptions<ChangesetDecision> {
  const { asking, question } = asked;
  return {
    asking,
    answers: listOfferedAnswers(facts),
    acts: actsOf(asked),
    before: 'skip',
    onField: async (name, value) => {
      if (name !== 'tasks' || !Array.isArray(value)) return;
      const others = (await question.onTop?.(question.changeset.id, value)) ?? [];
      for (const line of renderRejectionEffects(others)) asking.print(line);
    },
    decide: (given) => decide(asked, given),
  };
}

/** Keys that decide nothing by themselves, and the message in the editor. */
function actsOf(asked: ChangesetDialog): readonly ExtraKey<ChangesetDecision>[] {
  const { context, asking, question, comments } = asked;
  const { showInterdiff, linesOf, showMessage } = question;
  const view = async (diff: Promise<string>, option: '--diff' | '--interdiff'): Promise<null> => {
    await context.viewDiff(await diff, diffCommand(question.changeset.group, option));
    return null;
  };
  const edit = async (): Promise<ChangesetDecision | null> => {
    const edited = await editChangesetLines(context, asking, question);
    if (edited === null) return null;
    moveCommentsAfterEdit(comments, edited);
    return { kind: 'again' };
  };
  const write = async (): Promise<null> => {
    asked.message = await askMessage(context, question, asked.message);
    return null;
  };
  const open = async (): Promise<null> => {
    await asked.page?.();
    asked.page = null;
    return null;
  };
  const comment = async (): Promise<null> => {
    const one = await askLineComment(asking, question);
    if (one === null) return null;
    comments.push(one);
    context.print(`Comment added. It is sent when you approve or reject; ${comments.length} so far.`);
    return null;
  };
  return [
    { label: '(v)iew', act: () => view(question.showDiff(), '--diff') },
    ...(showInterdiff === undefined ? [] : [{ label: '(i)nterdiff', act: () => view(showInterdiff(), '--interdiff') }]),
    ...(linesOf === undefined ? [] : [{ label: '(e)dit lines', act: edit }]),
    ...(showMessage === undefined ? [] : [{ label: '(m)essage', act: write }]),
    ...(asked.page === null ? [] : [{ label: '(w)eb', act: open }]),
    { label: '(c)omment', act: comment },
  ];
}

/** Turns a key and its fields into a decision, with drafts from before; null: none after all. */
async function decide(
  { asking, question, comments, message }: ChangesetDialog,
  given: AnswerInput,
): Promise<ChangesetDecision | null> {
  // There is nothing that they could go along with.
  if (given.kind === 'skip' && comments.length > 0 && (await askChoice(asking, dropChoices)) === 'b') return null;
  const remarks = comments.length === 0 ? {} : { comments };
  const worded = message === null ? {} : { message };
  const along = given.kind === 'approve' ? { ...remarks, ...worded } : given.kind === 'reject' ? remarks : {};
  const decision = await parseChangesetDecision(question, { ...given, ...along });
  if (decision.kind !== 'undo' || question.takeBack === undefined) return decision;
  await question.takeBack(decision.changeset, 'terminal');
  return { kind: 'again' };
}

/** Edits the commit message; the old one where it was left unchanged. */
async function askMessage(
  context: GateContext,
  { changeset, showMessage, checkMessage }: ChangesetQuestion,
  former: string | null,
): Promise<string | null> {
  const text = former ?? (await showMessage?.()) ?? '';
  const parse = (edited: string): string => edited.trim();
  const edited = await context.edit({ fileName: `${changeset.group}.txt`, text, parse });
  if (edited === null || edited === '' || edited === text.trim()) return former;
  const wrong = (await checkMessage?.(changeset.id, edited)) ?? null;
  if (wrong !== null) {
    context.print(toPrintableLine(wrong));
    return former;
  }
  context.print(`When you approve it, it lands as: ${toPrintableLine(edited.split('\n')[0] ?? '')}`);
  return edited;
}

const dropChoices: readonly KeyChoice<'d' | 'b'>[] = [
  { key: 'd', label: '(d)rop the comments' },
  { key: 'b', label: '(b)ack' },
];
