import type { ChangesetDecision, ChangesetQuestion } from '../../domain/ports/changeset-question.ts';
import { renderOnTop } from '../render/render-on-top.ts';
import { visibleLine } from '../text/visible-text.ts';
import { askKeep, askLine, type Question } from './choose.ts';

/**
 * Why it goes back, and what the next attempts begin with; null: it doesn't after all. tasks: those that go, where not
 * all do; what that means for others was not said yet.
 */
export async function askReject(
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

/** Which tasks go back while the others go on; null: none after all. */
export async function askTasks(
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
