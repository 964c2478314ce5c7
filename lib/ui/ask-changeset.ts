import type { ChangesetDecision, ChangesetQuestion } from '../domain/gates.ts';
import { askLine, askText, choose } from './choose.ts';
import type { GateContext } from './gate-context.ts';
import { isRed } from './is-red.ts';
import { renderChangeset } from './render-changeset.ts';
import { waitingChangeset } from './waits-for-person.ts';

const choices = [
  { key: 'a', label: '(a)pprove' },
  { key: 'r', label: '(r)eject' },
  { key: 'v', label: '(v)iew' },
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
  for (;;) {
    const key = await choose(asking, choices);
    if (key === 's') return { kind: 'skip' };
    if (key === 'r') return { kind: 'reject', reason: await askText(asking, 'Reason: ') };
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
