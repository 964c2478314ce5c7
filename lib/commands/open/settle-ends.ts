import { acceptDecisions } from '../../core/decisions/settle-ends.ts';
import { FlameError } from '../../domain/flame-error.ts';
import type { Session } from '../../domain/state/session.ts';
import type { Task } from '../../domain/state/task.ts';
import { restoreOwn } from '../../store/ends/restore-own.ts';
import type { Reading } from './read-state.ts';

/** What the person says about tasks and sessions that another clone changed: by id, with their session's, or `all`. */
export interface EndWishes {
  readonly restore: readonly string[];
  readonly accept: readonly string[];
}

/** What became of them, in names. */
export interface EndsSettled {
  readonly restored: readonly string[];
  readonly accepted: readonly string[];
}

type Ports = Pick<Reading, 'git' | 'store' | 'origins' | 'meant'>;

/**
 * Brings back this clone's own version of what is named to be restored, and remembers as its person's word what is
 * named to be accepted. Throws FlameErrors `nothing-to-restore` and `nothing-to-accept`.
 */
export async function settleEnds(ports: Ports, wishes: EndWishes): Promise<EndsSettled> {
  const { git, store, origins } = ports;
  const accepted = await accept(ports, wishes.accept);
  if (wishes.restore.length === 0) return { restored: [], accepted };
  const current = ports.meant.pick(await store.snapshot())?.id ?? null;
  const actor = await git.identity();
  const isMeant = (session: Session, task: Task | null): boolean =>
    wishes.restore.some((name) => isNamed(name, { session: session.id, task: task?.id ?? null, current }));
  const restored = await restoreOwn(store, origins, { actor, isMeant });
  const missing = wishes.restore.find((name) => name !== 'all' && !restored.some((id) => name.endsWith(id)));
  if (missing !== undefined || restored.length === 0) throw nothingToRestore(missing ?? 'all');
  return { restored, accepted };
}

async function accept(
  { store, origins, meant }: Ports,
  names: readonly string[],
): Promise<readonly string[]> {
  if (names.length === 0) return [];
  const snapshot = await store.snapshot();
  const current = meant.pick(snapshot)?.id ?? null;
  const chosen = (snapshot.doubts ?? []).filter(({ session, about, counts }) => {
    // A changeset is its session's.
    const task = about === '' || counts === 'not landed' ? null : about;
    return names.some((name) => isNamed(name, { session, task, current }));
  });
  if (chosen.length === 0) throw nothingToAccept(names.join(','));
  origins.vouch(acceptDecisions(await store.raw.snapshot(), chosen));
  return chosen.map(({ session, about }) => about || session);
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
    message: `There is nothing to restore of ${name}: it is as this clone left it, or never was this clone's. Nothing was sent.`,
    hints: ['git flame status', 'git flame log'],
  });
}

function nothingToAccept(name: string): FlameError {
  return new FlameError({
    kind: 'refused',
    code: 'nothing-to-accept',
    message: `Nothing that another clone says has ended is ${name}. Nothing was sent. What it gives to do is accepted where it would begin.`,
    hints: ['git flame status', 'git flame run'],
  });
}
