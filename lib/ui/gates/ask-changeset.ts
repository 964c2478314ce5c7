import { FlameError } from '../../domain/flame-error.ts';
import type { ChangesetDecision, ChangesetQuestion } from '../../domain/ports/changeset-question.ts';
import type { Changeset } from '../../domain/state/changeset.ts';
import { isRed } from '../../domain/state/is-red.ts';
import type { LineComment } from '../../domain/state/line-comment.ts';
import { wrapText } from '../../util/format-width.ts';
import { renderChangeset } from '../render/render-changeset.ts';
import { renderExcluding } from '../render/render-excluding.ts';
import { renderOnTop } from '../render/render-on-top.ts';
import { hasOthers } from '../render/render-tries.ts';
import { visibleLine } from '../text/visible-text.ts';
import { askOther } from './ask-attempt.ts';
import { askComment } from './ask-comment.ts';
import { askDecided } from './ask-decided.ts';
import { editsLines } from './ask-lines.ts';
import { askReject, askTasks } from './ask-reject.ts';
import { askLine, type Choice, choose, type Question } from './choose.ts';
import type { GateContext } from './gate-context.ts';
import { followLines, type KeptComments, sayKept } from './kept-comments.ts';
import { waitingChangeset } from './waits-for-person.ts';

type Key = 'a' | 'r' | 't' | 'v' | 'i' | 'e' | 'm' | 'o' | 'w' | 'c' | 's' | 'u';

const choices: readonly Choice<Key>[] = [
  { key: 'a', label: '(a)pprove' },
  { key: 'r', label: '(r)eject' },
  { key: 't', label: '(t)ask back' },
  { key: 'v', label: '(v)iew' },
  { key: 'i', label: '(i)nterdiff' },
  { key: 'e', label: '(e)dit lines' },
  { key: 'm', label: '(m)essage' },
  { key: 'o', label: '(o)ther attempt' },
  { key: 'w', label: '(w)eb' },
  { key: 'c', label: '(c)omment' },
  { key: 's', label: '(s)kip' },
  { key: 'u', label: '(u)ndo a decision' },
];

/**
 * Shows a changeset and asks what becomes of it; a red one is approved only with a reason. `openPage` opens the review
 * page, where one can be opened; `kept`: comments of the question before.
 */
export async function askChangeset(
  context: GateContext,
  question: ChangesetQuestion,
  { kept, openPage }: { readonly kept: KeptComments; readonly openPage?: (() => Promise<void>) | undefined },
): Promise<ChangesetDecision> {
  const decision = await askDecision(context, question, { comments: kept.of(question), openPage });
  if (decision.kind === 'approve' || decision.kind === 'reject' || decision.kind === 'skip')
    kept.forget(question);
  return decision;
}

/** What a question about a changeset has come to, while it is asked. */
interface Asked {
  readonly context: GateContext;
  readonly question: ChangesetQuestion;
  readonly asking: Question;
  /** They go along with a decision. */
  readonly comments: LineComment[];
  readonly openPage: (() => Promise<void>) | undefined;
  readonly red: boolean;
  isPageOpen: boolean;
  /** What it lands with; null: what was written for it. */
  message: string | null;
}

async function askDecision(
  context: GateContext,
  question: ChangesetQuestion,
  { comments, openPage }: Pick<Asked, 'comments' | 'openPage'>,
): Promise<ChangesetDecision> {
  const red = isRed(question.changeset);
  const asking = context.question(waitingChangeset(question, red));
  const isPageOpen = openPage === undefined;
  const asked: Asked = { context, question, asking, comments, openPage, red, isPageOpen, message: null };
  await showAsked(asked);
  for (;;) {
    const decided = (await question.undoable?.()) ?? [];
    const key = await choose(asking, offeredIn(asked, decided));
    const decision = await acts[key](asked, decided);
    if (decision !== null) return decision;
  }
}

/** The changeset with what is to be known before it is decided. */
async function showAsked({ context, question, comments }: Asked): Promise<void> {
  const { style, say } = context;
  const { id } = question.changeset;
  say(renderChangeset(question, style));
  for (const line of renderExcluding((await question.excluding?.(id)) ?? []))
    say(wrapText(`warning: ${line}`, style.width, '  ').map(style.yellow).join('\n'));
  for (const line of renderOnTop((await question.onTop?.(id)) ?? []))
    say(wrapText(line, style.width, '  ').join('\n'));
  await sayKept(context, comments, question);
}

function offeredIn(asked: Asked, decided: readonly Changeset[]): readonly Choice<Key>[] {
  const { question } = asked;
  const isThere: Partial<Record<Key, boolean>> = {
    u: decided.length > 0,
    w: !asked.isPageOpen,
    t: question.tasks.length > 1,
    i: question.showInterdiff !== undefined,
    e: question.linesOf !== undefined,
    m: question.showMessage !== undefined,
    o: question.tasks.some(hasOthers),
  };
  return choices.filter(({ key }) => isThere[key] ?? true);
}

/** Does what a key stands for; null: nothing is decided by that yet. */
type Act = (asked: Asked, decided: readonly Changeset[]) => Promise<ChangesetDecision | null>;

const acts: Readonly<Record<Key, Act>> = {
  a: approve,
  r: (asked) => reject(asked, undefined),
  t: async (asked) => {
    const tasks = await askTasks(asked.asking, asked.question);
    return tasks === null ? null : reject(asked, tasks);
  },
  v: async ({ context, question }) => {
    await context.viewDiff(await question.showDiff());
    return null;
  },
  i: async ({ context, question }) => {
    await context.viewDiff((await question.showInterdiff?.()) ?? '');
    return null;
  },
  e: async ({ context, asking, question, comments }) => {
    const edited = await editsLines(context, asking, question);
    if (edited === null) return null;
    followLines(comments, edited);
    return { kind: 'again' };
  },
  m: async (asked) => {
    asked.message = await askMessage(asked.context, asked.question, asked.message);
    return null;
  },
  o: ({ asking, question }) => askOther(asking, question.tasks.filter(hasOthers)),
  w: async (asked) => {
    await asked.openPage?.();
    asked.isPageOpen = true;
    return null;
  },
  c: async ({ context, asking, question, comments }) => {
    const comment = await askComment(asking, question);
    if (comment === null) return null;
    comments.push(comment);
    context.say(`It goes along when you approve or reject: ${comments.length} so far.`);
    return null;
  },
  s: async ({ asking, comments }) =>
    comments.length > 0 && !(await dropsThem(asking)) ? null : { kind: 'skip' },
  u: async ({ asking, question }, decided) =>
    (await takesBack(asking, question, decided)) ? { kind: 'again' } : null,
};

async function reject(
  { asking, question, comments }: Asked,
  tasks: readonly string[] | undefined,
): Promise<ChangesetDecision | null> {
  const rejected = await askReject(asking, question, tasks);
  return rejected === null ? null : { ...rejected, ...(comments.length === 0 ? {} : { comments }) };
}

async function approve({
  context,
  asking,
  red,
  comments,
  message,
}: Asked): Promise<ChangesetDecision | null> {
  const given = comments.length === 0 ? {} : { comments };
  const worded = message === null ? given : { ...given, message };
  if (!red) return { kind: 'approve', ...worded };
  const reason = await askLine(asking, 'Diagnostics fail. Approve all the same, because: ');
  if (reason.trim() !== '') return { kind: 'approve', override: reason.trim(), ...worded };
  context.say('Without a reason it is not approved.');
  return null;
}

/** Takes back what was decided about a changeset; false: nothing, after all. */
async function takesBack(
  asking: Question,
  { takeBack }: Pick<ChangesetQuestion, 'takeBack'>,
  decided: readonly Changeset[],
): Promise<boolean> {
  const meant = await askDecided(asking, decided);
  if (meant === null) return false;
  try {
    await takeBack?.(meant.id, 'terminal');
    return true;
  } catch (error) {
    if (!(error instanceof FlameError) || error.kind !== 'refused') throw error;
    asking.say(visibleLine(error.message));
    return false;
  }
}

/** What it lands with, in the editor; as it was where that was left as it is. */
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
    context.say(visibleLine(wrong));
    return former;
  }
  context.say(`When you approve it, it lands as: ${visibleLine(edited.split('\n')[0] ?? '')}`);
  return edited;
}

const dropChoices: readonly Choice<'d' | 'b'>[] = [
  { key: 'd', label: '(d)rop the comments' },
  { key: 'b', label: '(b)ack' },
];

/** Nothing is decided: there is nothing they could go along with. */
async function dropsThem(asking: Question): Promise<boolean> {
  return (await choose(asking, dropChoices)) === 'd';
}
