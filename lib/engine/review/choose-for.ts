import { FlameError } from '../../domain/flame-error.ts';
import type { SessionId } from '../../domain/ids.ts';
import type { ChangesetDecision } from '../../domain/ports/changeset-question.ts';
import type { Changeset } from '../../domain/state/changeset.ts';
import { chooseAttempt } from '../by-hand/choose-attempt.ts';
import type { Workshop } from '../workshop.ts';

/** Makes another attempt the work of one of a changeset's tasks: the changeset is void by that, and built again. */
export async function chooseFor(
  workshop: Workshop,
  session: SessionId,
  changeset: Changeset,
  { task, attempt }: Extract<ChangesetDecision, { readonly kind: 'choose' }>,
): Promise<void> {
  if (!changeset.tasks.some((one) => one === task)) throw notInChangeset(changeset, task);
  await chooseAttempt(workshop, session, { task, attempt });
  const reason = `attempt ${attempt} at ${task} is its work`;
  workshop.events.emit({
    event: 'changeset-decided',
    changeset: changeset.id,
    decision: 'built again',
    reason,
  });
}

/** Error for a task that is not in the changeset; name undefined: none was named. */
export function notInChangeset({ group, tasks }: Changeset, name: string | undefined): FlameError {
  const what = name === undefined ? 'none of them' : JSON.stringify(name.slice(0, 100));
  return new FlameError({
    kind: 'refused',
    code: 'not-in-changeset',
    message: `Changeset ${group} holds ${tasks.join(', ')}, and you named ${what}.`,
    hints: tasks.map((id) => `git flame review --changeset ${group} --reject REASON --tasks ${id}`),
  });
}
