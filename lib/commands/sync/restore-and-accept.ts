import {
  toLandedDecision,
  toObjectiveDecision,
  toSessionStateDecision,
  toTaskStateDecision,
} from '../../core/admission/make-decisions.ts';
import { FlameError } from '../../domain/flame-error.ts';
import type { AdmittedSnapshot, Snapshot } from '../../domain/ports/store-port.ts';
import type { LoggedDecision } from '../../domain/state/decision-log.ts';
import type { UnverifiedCompletion } from '../../domain/state/task-schema.ts';
import { type RestorableNote, restoreOwnVersions } from '../../store/admission/restore-own-versions.ts';
import type { ReadContext } from '../context/open-read-context.ts';

/** Tasks and sessions to restore or accept after another clone changed them: by id, with their session's, or `all`. */
interface EndWishes {
  readonly restore: readonly string[];
  readonly accept: readonly string[];
  /** True for a repetition after more came in: then a name may match nothing. */
  readonly isAgain: boolean;
}

/** Names of restored and accepted ones. */
export interface RestoredAndAccepted {
  readonly restored: readonly string[];
  readonly accepted: readonly string[];
}

type Ports = Pick<ReadContext, 'git' | 'store' | 'decided' | 'selected'>;

/**
 * Brings back this clone's own version of what is named to be restored, and records as decided here what is named to be
 * accepted; nothing of it where one of the names matches nothing. Throws FlameErrors `nothing-to-restore` and
 * `nothing-to-accept`.
 */
export async function restoreAndAcceptCompletions(ports: Ports, wishes: EndWishes): Promise<RestoredAndAccepted> {
  const { git, store, decided } = ports;
  const snapshot = await store.snapshot();
  const current = ports.selected.pick(snapshot)?.id ?? null;
  const chosen = chooseUnverified(snapshot, wishes, current);
  const accept = async (): Promise<void> => {
    if (chosen.length > 0) decided.record(acceptDecisions(await store.raw.snapshot(), chosen));
  };
  const accepted = chosen.map(({ session, about }) => about || session);
  if (wishes.restore.length === 0) {
    await accept();
    return { restored: [], accepted };
  }
  const restored = await restoreOwnVersions(store, decided, {
    actor: await git.identity(),
    isSelected: (one) => wishes.restore.some((name) => isNamed(name, { ...idsOf(one), current })),
    check: (found) => {
      const missing = wishes.restore.find((name) => !found.some((one) => isNamed(name, { ...idsOf(one), current })));
      if (missing !== undefined && !wishes.isAgain) throw nothingToRestore(missing);
    },
  });
  await accept();
  return { restored, accepted };
}

function idsOf({ session, task }: RestorableNote): {
  readonly session: string;
  readonly task: string | null;
} {
  return { session: session.id, task: task?.id ?? null };
}

function chooseUnverified(
  { unverified }: AdmittedSnapshot,
  { accept: names, isAgain }: EndWishes,
  current: string | null,
): readonly UnverifiedCompletion[] {
  const isSelected = (name: string, { session, about, counts }: UnverifiedCompletion): boolean => {
    // A changeset is its session's.
    const task = about === '' || counts === 'not landed' ? null : about;
    return isNamed(name, { session, task, current });
  };
  const missing = names.find((name) => !unverified.some((one) => isSelected(name, one)));
  if (missing !== undefined && !isAgain) throw nothingToAccept(missing);
  return unverified.filter((one) => names.some((name) => isSelected(name, one)));
}

function isNamed(
  name: string,
  {
    session,
    task,
    current,
  }: { readonly session: string; readonly task: string | null; readonly current: string | null },
): boolean {
  if (name === 'all') return true;
  if (task === null) return name === session;
  return name === `${session}/${task}` || (name === task && session === current);
}

function nothingToRestore(name: string): FlameError {
  return new FlameError({
    kind: 'refused',
    code: 'nothing-to-restore',
    message: `There is nothing to restore for ${name}: no other clone changed it, or this clone never had it. Nothing was sent.`,
    hints: ['git flame status', 'git flame log'],
  });
}

function nothingToAccept(name: string): FlameError {
  return new FlameError({
    kind: 'refused',
    code: 'nothing-to-accept',
    message: `No other clone reports that ${name} has ended, so nothing was sent. You accept tasks of another clone when they would begin.`,
    hints: ['git flame status', 'git flame run'],
  });
}

/** Accepts completions exactly as another clone reports them. */
function acceptDecisions(raw: Snapshot, completions: readonly UnverifiedCompletion[]): readonly LoggedDecision[] {
  return completions.flatMap(({ session: id, about }): readonly LoggedDecision[] => {
    const session = raw.sessions.find((one) => one.id === id);
    if (session === undefined) return [];
    if (about === '') return [toObjectiveDecision(session), toSessionStateDecision(session)];
    const task = raw.tasksOf(session.id).find((one) => one.id === about);
    if (task !== undefined) return [toTaskStateDecision(task)];
    return session.changesets.filter((one) => one.id === about).map((one) => toLandedDecision(session, one));
  });
}
