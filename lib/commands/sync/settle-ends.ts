import { acceptDecisions } from '../../core/admission/settle-ends.ts';
import type { EndedSnapshot } from '../../core/admission/unverified-completions.ts';
import { FlameError } from '../../domain/flame-error.ts';
import type { Doubt } from '../../domain/state/doubt.ts';
import { type Restorable, restoreOwn } from '../../store/admission/restore-own.ts';
import type { Reading } from '../open/read-state.ts';

/** What the person says about tasks and sessions that another clone changed: by id, with their session's, or `all`. */
interface EndWishes {
  readonly restore: readonly string[];
  readonly accept: readonly string[];
  /** Whether this was done already and something came in since: then a name may say nothing more. */
  readonly isAgain: boolean;
}

/** What became of them, in names. */
export interface EndsSettled {
  readonly restored: readonly string[];
  readonly accepted: readonly string[];
}

type Ports = Pick<Reading, 'git' | 'store' | 'origins' | 'meant'>;

/**
 * Brings back this clone's own version of what is named to be restored, and remembers as its person's word what is
 * named to be accepted; nothing of it where one of the names says nothing. Throws FlameErrors `nothing-to-restore` and
 * `nothing-to-accept`.
 */
export async function settleEnds(ports: Ports, wishes: EndWishes): Promise<EndsSettled> {
  const { git, store, origins } = ports;
  const snapshot = await store.snapshot();
  const current = ports.meant.pick(snapshot)?.id ?? null;
  const chosen = chooseDoubts(snapshot, wishes, current);
  const accept = async (): Promise<void> => {
    if (chosen.length > 0) origins.vouch(acceptDecisions(await store.raw.snapshot(), chosen));
  };
  const accepted = chosen.map(({ session, about }) => about || session);
  if (wishes.restore.length === 0) {
    await accept();
    return { restored: [], accepted };
  }
  const restored = await restoreOwn(store, origins, {
    actor: await git.identity(),
    isMeant: (one) => wishes.restore.some((name) => isNamed(name, { ...idsOf(one), current })),
    check: (found) => {
      const missing = wishes.restore.find(
        (name) => !found.some((one) => isNamed(name, { ...idsOf(one), current })),
      );
      if (missing !== undefined && !wishes.isAgain) throw nothingToRestore(missing);
    },
  });
  await accept();
  return { restored, accepted };
}

function idsOf({ session, task }: Restorable): { readonly session: string; readonly task: string | null } {
  return { session: session.id, task: task?.id ?? null };
}

function chooseDoubts(
  { doubts }: EndedSnapshot,
  { accept: names, isAgain }: EndWishes,
  current: string | null,
): readonly Doubt[] {
  const isMeant = (name: string, { session, about, counts }: Doubt): boolean => {
    // A changeset is its session's.
    const task = about === '' || counts === 'not landed' ? null : about;
    return isNamed(name, { session, task, current });
  };
  const missing = names.find((name) => !doubts.some((doubt) => isMeant(name, doubt)));
  if (missing !== undefined && !isAgain) throw nothingToAccept(missing);
  return doubts.filter((doubt) => names.some((name) => isMeant(name, doubt)));
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
