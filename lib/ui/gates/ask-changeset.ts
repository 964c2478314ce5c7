import { FlameError } from '../../domain/flame-error.ts';
import type { ChangesetDecision, ChangesetQuestion } from '../../domain/ports/changeset-question.ts';
import { type Changeset, isRed } from '../../domain/state/changeset.ts';
import { type LineComment, parseComment } from '../../domain/state/line-comment.ts';
import { wrapText } from '../../util/format-width.ts';
import { renderChangeset } from '../render/render-changeset.ts';
import { renderExcluding } from '../render/render-excluding.ts';
import { renderOnTop } from '../render/render-on-top.ts';
import { hasOthers } from '../render/render-tries.ts';
import { visibleLine } from '../text/visible-text.ts';
import { askOther } from './ask-attempt.ts';
import { askDecided } from './ask-decided.ts';
import { editsLines } from './ask-lines.ts';
import { askKeep, askLine, type Choice, choose, type Question } from './choose.ts';
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

async function askDecision(
  context: GateContext,
  question: ChangesetQuestion,
  {
    comments,
    openPage,
  }: { readonly comments: LineComment[]; readonly openPage: (() => Promise<void>) | undefined },
): Promise<ChangesetDecision> {
  const red = isRed(question.changeset);
  let isOpen = openPage === undefined;
  const asking = context.question(waitingChangeset(question, red));
  context.say(renderChangeset(question, context.style));
  for (const line of renderExcluding((await question.excluding?.(question.changeset.id)) ?? []))
    context.say(wrapText(`warning: ${line}`, context.style.width, '  ').map(context.style.yellow).join('\n'));
  for (const line of renderOnTop((await question.onTop?.(question.changeset.id)) ?? []))
    context.say(wrapText(line, context.style.width, '  ').join('\n'));
  await sayKept(context, comments, question);
  let message: string | null = null;
  const isThere: Partial<Record<Key, () => boolean>> = {
    w: () => !isOpen,
    t: () => question.tasks.length > 1,
    i: () => question.showInterdiff !== undefined,
    e: () => question.linesOf !== undefined,
    m: () => question.showMessage !== undefined,
    o: () => question.tasks.some(hasOthers),
  };
  for (;;) {
    const decided = (await question.undoable?.()) ?? [];
    const offered = choices.filter(({ key }) =>
      key === 'u' ? decided.length > 0 : (isThere[key]?.() ?? true),
    );
    const key = await choose(asking, offered);
    if (key === 'u') {
      if (await takesBack(asking, question, decided)) return { kind: 'again' };
      continue;
    }
    const given = comments.length === 0 ? {} : { comments };
    const worded = message === null ? given : { ...given, message };
    if (key === 's' && comments.length > 0 && !(await dropsThem(asking))) continue;
    if (key === 's') return { kind: 'skip' };
    if (key === 'r' || key === 't') {
      const tasks = key === 't' ? await askTasks(asking, question) : undefined;
      const rejected = tasks === null ? null : await askReject(asking, question, tasks);
      if (rejected !== null) return { ...rejected, ...given };
      continue;
    }
    if (key === 'c') {
      const comment = await askComment(asking, question);
      if (comment === null) continue;
      comments.push(comment);
      context.say(`It goes along when you approve or reject: ${comments.length} so far.`);
      continue;
    }
    if (key === 'o') {
      const chosen = await askOther(asking, question.tasks.filter(hasOthers));
      if (chosen !== null) return chosen;
      continue;
    }
    if (key === 'w') {
      await openPage?.();
      isOpen = true;
      continue;
    }
    if (key === 'v') {
      await context.viewDiff(await question.showDiff());
      continue;
    }
    if (key === 'i') {
      await context.viewDiff((await question.showInterdiff?.()) ?? '');
      continue;
    }
    if (key === 'e') {
      const edited = await editsLines(context, asking, question);
      if (edited === null) continue;
      followLines(comments, edited);
      return { kind: 'again' };
    }
    if (key === 'm') {
      message = await askMessage(context, question, message);
      continue;
    }
    if (!red) return { kind: 'approve', ...worded };
    const reason = await askLine(asking, 'Diagnostics fail. Approve all the same, because: ');
    if (reason.trim() !== '') return { kind: 'approve', override: reason.trim(), ...worded };
    context.say('Without a reason it is not approved.');
  }
}

/**
 * Why it goes back, and what the next attempts begin with; null: it doesn't after all. tasks: those that go, where not
 * all do; what that means for others was not said yet.
 */
async function askReject(
  asking: Question,
  { changeset, onTop }: Pick<ChangesetQuestion, 'changeset' | 'onTop'>,
  tasks: readonly string[] | undefined,
): Promise<Extract<ChangesetDecision, { readonly kind: 'reject' }> | null> {
  const others = tasks === undefined ? [] : ((await onTop?.(changeset.id, tasks)) ?? []);
  for (const line of renderOnTop(others)) asking.say(line);
  const reason = (await askLine(asking, 'Reason (Enter: back): ')).trim();
  if (reason === '') return null;
  const keep = await askKeep(asking);
  return {
    ...{ kind: 'reject', reason },
    ...(tasks === undefined ? {} : { tasks }),
    ...(keep ? { keep } : {}),
  };
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

/** Which tasks go back while the others go on; null: none after all. */
async function askTasks(
  asking: Question,
  { tasks }: Pick<ChangesetQuestion, 'tasks'>,
): Promise<readonly string[] | null> {
  asking.say('The others of it go on, in a changeset that is built without them.');
  for (const { id, title } of tasks) asking.say(visibleLine(`  ${id}  ${title}`));
  for (;;) {
    const typed = await askLine(asking, 'Which go back, by id (Enter: none): ');
    const ids = typed.split(/[\s,]+/).filter((id) => id !== '');
    if (ids.length === 0) return null;
    const strange = ids.filter((name) => !tasks.some(({ id }) => id === name));
    if (strange.length === 0) return [...new Set(ids)];
    asking.say(visibleLine(`It holds no task ${strange.join(', ')}.`));
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
  context.say(`It lands as ${visibleLine(edited.split('\n')[0] ?? '')} when you approve it.`);
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

const strayChoices: readonly Choice<'k' | 'a'>[] = [
  { key: 'k', label: '(k)eep it' },
  { key: 'a', label: '(a)gain' },
];

/** A remark on one line of the change; null: none after all. */
async function askComment(
  asking: Question,
  { strayComment }: Pick<ChangesetQuestion, 'strayComment'>,
): Promise<LineComment | null> {
  for (;;) {
    const typed = await askLine(asking, 'Comment, as PATH:LINE TEXT or PATH:LINE-LINE TEXT (Enter: back): ');
    if (typed.trim() === '') return null;
    const comment = parseComment(typed);
    const stray = comment === null ? null : ((await strayComment?.(comment)) ?? null);
    if (stray !== null) asking.say(visibleLine(stray));
    if (comment !== null && (stray === null || (await choose(asking, strayChoices)) === 'k')) return comment;
    if (comment !== null) continue;
    asking.say('Write the file, a colon, the line and your remark: src/a.ts:12 this is never closed');
  }
}
