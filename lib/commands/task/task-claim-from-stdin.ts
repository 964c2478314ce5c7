import { createInterface } from 'node:readline';
import { listDecisionsOfManualTask } from '../../core/admission/make-decisions.ts';
import { reopenSessionForTask } from '../../core/changesets/reopen-session.ts';
import { makeManualClaimChanges, whyNotClaimableByHand } from '../../core/schedule/manual-claim-rules.ts';
import { FlameError } from '../../domain/flame-error.ts';
import type { SessionId } from '../../domain/ids.ts';
import type { AdmittedSnapshot, Transaction, TrustedStore } from '../../domain/ports/store-port.ts';
import type { CommandArgs, Io } from '../../domain/view-models/command.ts';
import { machineName } from '../../trust/clone-key.ts';
import { toPrintableLine } from '../../ui/text/printable-text.ts';
import type { SelectedSession } from '../context/open-notes-context.ts';
import { withRepositoryState } from '../context/open-read-context.ts';

/** `git flame task claim --stdin`: ids in, one a line; answers out, one a line, in the same order. */
export function runTaskClaimFromStdin(args: CommandArgs<'task'>, io: Io): Promise<number> {
  return withRepositoryState(args, io, async ({ git, store, output, selected }) => {
    const person = await git.identity();
    const place = machineName({ env: io.env, commonDir: git.repository.commonDir });
    for await (const line of createInterface({ input: io.stdin })) {
      const id = toPrintableLine(line.trim());
      if (id === '') continue;
      const reason = await claim({ store, selected, person, place }, id);
      output.jsonLine({ id, claimed: reason === null, reason });
      output.result([id, reason === null ? 'claimed' : 'refused', reason ?? ''].join('\t').trimEnd());
    }
    return 0;
  });
}

interface Claimer {
  readonly store: TrustedStore;
  readonly selected: SelectedSession;
  readonly person: string;
  readonly place: string;
}

/** Claims one task for the person. Returns why it can't be claimed; null: it is claimed. */
async function claim({ store, selected, person, place }: Claimer, id: string): Promise<string | null> {
  let reason: string | null = null;
  const decide = (snapshot: AdmittedSnapshot): Transaction | null => {
    const session = selected.require(snapshot).id;
    const found = findClaimableTask(snapshot, session, id);
    reason = typeof found === 'string' ? found : null;
    if (typeof found === 'string') return null;
    const steps = makeManualClaimChanges(found, {
      worktree: null,
      at: new Date().toISOString(),
      claimedBy: person,
      host: place,
    });
    const reopened = reopenSessionForTask(snapshot.admitted(session).session, found.id);
    return {
      changes: [
        ...steps.map(({ task, subject, transition }) => ({ tasks: [task], subject, transition })),
        ...(reopened === undefined ? [] : [{ subject: reopened.subject, session: reopened.next }]),
      ],
      // Taking a task accepts it, if it was received.
      accepted: listDecisionsOfManualTask(found),
      actor: person,
    };
  };
  return store.transact(decide).then(
    () => reason,
    (error: unknown) => {
      // A note that can't be read is the answer to its line; the others continue.
      if (!(error instanceof FlameError) || error.code !== 'state-corrupt') throw error;
      return error.message;
    },
  );
}

/** The task, or why it can't be claimed. */
function findClaimableTask(snapshot: AdmittedSnapshot, session: SessionId, id: string) {
  const tasks = snapshot.tasksOf(session);
  const task = tasks.find((one) => one.id === id);
  if (task === undefined) return "doesn't exist";
  if (snapshot.admitted(session).session.machines !== undefined) return 'machines share its session';
  return whyNotClaimableByHand(task, tasks, Number.POSITIVE_INFINITY) ?? task;
}
