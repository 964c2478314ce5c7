import { createInterface } from 'node:readline';
import { reopenSession } from '../../core/changesets/reopen-session.ts';
import {
  courseDecision,
  handDecisions,
  sessionDecision,
  standingDecision,
} from '../../core/decisions/decisions.ts';
import { claimObjection, takeByHand } from '../../core/schedule/claim-rules.ts';
import { FlameError } from '../../domain/flame-error.ts';
import type { Store, Transaction } from '../../domain/ports/store-port.ts';
import type { CommandArgs } from '../../domain/shown/command-args.ts';
import type { Io } from '../../domain/shown/io.ts';
import type { Origins } from '../../domain/state/origins.ts';
import type { Task } from '../../domain/state/task.ts';
import { visibleLine } from '../../ui/text/visible-text.ts';
import { cloneName } from '../../util/clone-name.ts';
import { withState } from '../open/read-state.ts';
import type { SessionMeant } from '../open/session-meant.ts';

/** One answer of `claim --stdin`, as --json prints it. */
interface ClaimAnswer {
  readonly id: string;
  readonly claimed: boolean;
  /** Why not; null when it was. */
  readonly reason: string | null;
}

// Claims that wait together share a ref transaction; more of them at once would only take memory.
const mostAtOnce = 256;

/** `git flame task claim --stdin`: ids in, one a line; answers out, one a line, in the same order. */
export function claimMany(args: CommandArgs<'task'>, io: Io): Promise<number> {
  return withState(args, io, async ({ git, store, origins, output, meant }) => {
    const claimer = { person: await git.identity(), place: cloneName(git.repository.commonDir), origins };
    const tell = (answer: ClaimAnswer): void => {
      output.json(answer);
      output.result(
        [answer.id, answer.claimed ? 'claimed' : 'refused', answer.reason ?? ''].join('\t').trimEnd(),
      );
    };
    let open = 0;
    // Printed as soon as it's known, after the answers before it: the other side may wait for one before it
    // asks the next.
    let told: Promise<void> = Promise.resolve();
    const ask = (id: string): void => {
      open += 1;
      const answer = claimOne(store, meant, id, claimer);
      told = Promise.all([answer, told]).then(([known]) => {
        open -= 1;
        tell(known);
      });
      // What went wrong is thrown below, where it's waited for.
      told.catch(() => undefined);
    };
    for await (const line of createInterface({ input: io.stdin })) {
      if (line.trim() !== '') ask(visibleLine(line.trim()));
      if (open >= mostAtOnce) await told;
    }
    await told;
    return 0;
  });
}

async function claimOne(
  store: Store,
  meant: SessionMeant,
  id: string,
  claimer: { readonly person: string; readonly place: string; readonly origins: Origins },
): Promise<ClaimAnswer> {
  let reason: string | null = null;
  let before: Task | undefined;
  await store
    .transact((snapshot): Transaction | null => {
      const session = meant.require(snapshot);
      const tasks = snapshot.tasksOf(session.id);
      const task = tasks.find((one) => one.id === id);
      reason = task === undefined ? "doesn't exist" : claimObjection(task, tasks, Number.POSITIVE_INFINITY);
      if (task === undefined || reason !== null) return null;
      const claim = {
        worktree: null,
        at: new Date().toISOString(),
        claimedBy: claimer.person,
        host: claimer.place,
      };
      before = task;
      const steps = takeByHand(task, claim);
      const claimed = steps.map(({ task: next, subject, transition }) => ({
        tasks: [next],
        subject,
        transition,
      }));
      // Whoever takes a task that was received has said what they think of it.
      const reopened = reopenSession(session, task.id);
      const isOurs = claimer.origins.has(sessionDecision(session));
      claimer.origins.vouch([
        ...handDecisions(task),
        ...steps.map((step) => standingDecision(step.task)),
        ...(reopened === undefined || !isOurs ? [] : [courseDecision(reopened.next)]),
      ]);
      const goesOn = reopened === undefined ? [] : [{ subject: reopened.subject, session: reopened.next }];
      return { changes: [...claimed, ...goesOn], actor: claimer.person };
    })
    .catch((error: unknown) => {
      // A note that can't be read is the answer to its line; the others continue.
      if (!(error instanceof FlameError) || error.code !== 'state-corrupt') throw error;
      reason = error.message;
    });
  if (reason === null && before !== undefined) claimer.origins.settle([standingDecision(before)]);
  return { id, claimed: reason === null, reason };
}
