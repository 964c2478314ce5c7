import type { ChangesetDecision, ChangesetQuestion } from '../domain/gates.ts';
import { type LineComment, parseComment } from '../domain/line-comment.ts';
import { askLine, askText, choose, type Question } from './choose.ts';
import type { GateContext } from './gate-context.ts';
import { isRed } from './is-red.ts';
import { renderChangeset } from './render-changeset.ts';
import { waitingChangeset } from './waits-for-person.ts';

const choices = [
  { key: 'a', label: '(a)pprove' },
  { key: 'r', label: '(r)eject' },
  { key: 'v', label: '(v)iew' },
  { key: 'c', label: '(c)omment' },
  { key: 's', label: '(s)kip' },
] as const;

/** Shows a changeset and asks what becomes of it; a red one is approved only with a reason. */
export async function askChangeset(
  context: GateContext,
  question: ChangesetQuestion,
  withdrawn?: AbortSignal,
): Promise<ChangesetDecision> {
  const red = isRed(question.changeset);
  const asking = { ...context.question(waitingChangeset(question, red)), withdrawn };
  context.say(renderChangeset(question, context.style));
  const comments: LineComment[] = [];
  for (;;) {
    const key = await choose(asking, choices);
    if (key === 's') return { kind: 'skip' };
    if (key === 'r') {
      const reason = await askText(asking, 'Reason: ');
      return { kind: 'reject', reason, ...(comments.length === 0 ? {} : { comments }) };
    }
    if (key === 'c') {
      comments.push(await askComment(asking));
      context.say(`It goes along when you reject: ${comments.length} so far.`);
      continue;
    }
    if (key === 'v') {
      await context.viewDiff(await question.showDiff());
      continue;
    }
    if (!red) return { kind: 'approve' };
    const reason = await askLine(asking, 'Diagnostics fail. Approve all the same, because: ');
    if (reason.trim() !== '') return { kind: 'approve', override: reason.trim() };
    context.say('Without a reason it is not approved.');
  }
}

/** A remark on one line of the change. */
async function askComment(asking: Question): Promise<LineComment> {
  for (;;) {
    const comment = parseComment(await askText(asking, 'Comment, as PATH:LINE TEXT: '));
    if (comment !== null) return comment;
    asking.say('Write the file, a colon, the line and your remark: src/a.ts:12 this is never closed');
  }
}
