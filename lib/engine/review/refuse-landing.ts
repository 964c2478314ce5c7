import { withStates } from '../../core/changesets/with-states.ts';
import { requeueTask } from '../../core/task/task-return.ts';
import { withdraw } from '../../core/task/withdraw.ts';
import { FlameError } from '../../domain/flame-error.ts';
import type { ObjectId, SessionId } from '../../domain/ids.ts';
import type { Changeset } from '../../domain/state/changeset.ts';
import { landsOn, type Session } from '../../domain/state/session.ts';
import type { DiagnosticRun } from '../../domain/state/verdict.ts';
import { shortId } from '../../util/short-id.ts';
import { type Recorder, record, taskOf } from '../record.ts';
import { failedDiagnostics } from '../validate/run-diagnostics.ts';
import { timestamp } from '../workshop.ts';

/** Another process moved the base: the approval is void, nothing is forced, the changeset is built again. */
export async function refuseMoved(
  workshop: Recorder,
  session: Session,
  changeset: Changeset,
  tip: ObjectId,
): Promise<false> {
  return refuseLanding(
    workshop,
    session,
    changeset,
    `${landsOn(session)} moved to ${shortId(tip)} after it was approved`,
  );
}

/** Its approval is void with it: it is built again from the commits of its tasks. */
export async function refuseLanding(
  workshop: Recorder,
  session: Session,
  changeset: Changeset,
  why: string,
): Promise<false> {
  await record(workshop, session.id, ({ session: now }) => ({
    session: {
      next: withStates(now, [changeset.id], 'void', why),
      subject: `changeset ${changeset.id}: void, ${why}`,
    },
  }));
  workshop.events.emit({ event: 'landing-refused', changeset: changeset.id, why });
  return false;
}

/** The work does not hold where it would land: its tasks are done again, and know why. */
export async function sendBack(
  workshop: Recorder,
  id: SessionId,
  changeset: Changeset,
  notes: string,
): Promise<false> {
  const at = timestamp(workshop);
  await record(workshop, id, (view) => ({
    session: {
      next: withStates(view.session, [changeset.id], 'conflict', notes),
      subject: `changeset ${changeset.id}: ${notes}`,
    },
    steps: withdraw(
      view.tasks,
      changeset.tasks.map((task) => requeueTask(taskOf(view, task), { kind: 'conflict', notes, at })),
      at,
    ),
    body: notes,
  }));
  workshop.events.emit({ event: 'landing-refused', changeset: changeset.id, why: notes });
  return false;
}

/** What was green when it was approved is red now: it waits for another word, with what was found. */
export async function askAgain(
  workshop: Recorder,
  id: SessionId,
  { id: name, commit }: Changeset,
  diagnostics: readonly DiagnosticRun[],
): Promise<false> {
  const failing = failedDiagnostics(diagnostics).map(({ command }) => command);
  const why = `its diagnostics fail now: ${failing.join(', ')}`;
  const asked = (known: Changeset): Changeset =>
    known.id === name && known.commit === commit
      ? { ...known, state: 'waiting', diagnostics: [...diagnostics], reason: null, decided_by: null }
      : known;
  await record(workshop, id, ({ session }) => ({
    session: {
      next: { ...session, changesets: session.changesets.map(asked) },
      subject: `changeset ${name}: waits again, ${why}`,
    },
  }));
  workshop.events.emit({ event: 'landing-refused', changeset: name, why });
  return false;
}

/** What a refused landing ends a command with. */
export function landingRefused(refused: number): FlameError {
  return new FlameError({
    kind: 'refused',
    code: 'landing-refused',
    message: `${refused} ${refused === 1 ? 'changeset was' : 'changesets were'} not landed; nothing was forced.`,
    hints: ['git flame merge', 'git flame review'],
  });
}
