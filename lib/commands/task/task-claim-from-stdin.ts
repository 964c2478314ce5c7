import { createInterface } from 'node:readline';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { listDecisionsOfManualTask } from '../../core/admission/make-decisions.ts';
import { reopenSessionForTask } from '../../core/changesets/reopen-session.ts';
import {
  ClaimBatchSize,
  ManualClaimChecker,
  makeManualClaimChanges,
  whyNotClaimableByHand,
} from '../../core/schedule/manual-claim-rules.ts';
import { FlameError } from '../../domain/flame-error.ts';
import type { StateChange, Transaction, TrustedStore } from '../../domain/ports/store-port.ts';
import type { LoggedDecision } from '../../domain/state/decision-log.ts';
import type { Session } from '../../domain/state/session-schema.ts';
import type { Task } from '../../domain/state/task-schema.ts';
import type { CommandArgs, Io } from '../../domain/view-models/command.ts';
import { machineName } from '../../trust/clone-key.ts';
import type { Output } from '../../ui/terminal/output.ts';
import { toPrintableLine } from '../../ui/text/printable-text.ts';
import type { SelectedSession } from '../context/open-notes-context.ts';
import { withRepositoryState } from '../context/open-read-context.ts';

// More lines than these wait to be read: they would only take memory.
const mostWaiting = 1_024;
/** `git flame task claim --stdin`: ids in, one a line; answers out, one a line, in the same order. */
export function runTaskClaimFromStdin(args: CommandArgs<'task'>, io: Io): Promise<number> {
  return withRepositoryState(args, io, async ({ git, store, output, selected }) => {
    const person = await git.identity();
    const place = machineName({ env: io.env, commonDir: git.repository.commonDir });
    const claimer = { store, selected, person, place };
    const waiting: string[] = [];
    // While the first lines are waited for.
    store.ready().catch(() => undefined);
    const drain = async (): Promise<void> => {
      // Lines that come together are asked about together.
      await nextTurn();
      const claims = new Claims(claimer);
      while (waiting.length > 0) {
        const answers = await claims.take(waiting);
        waiting.splice(0, answers.length);
        printAnswers(output, answers);
      }
      work = null;
    };
    let work: Promise<void> | null = null;
    for await (const line of createInterface({ input: io.stdin })) {
      if (line.trim() === '') continue;
      waiting.push(toPrintableLine(line.trim()));
      work ??= drain();
      // Errors are thrown where `work` is awaited.
      work.catch(() => undefined);
      if (waiting.length >= mostWaiting) await work;
    }
    await work;
    return 0;
  });
}

/** Printed as soon as they are known: the other side may wait for one answer before it asks the next. */
function printAnswers(output: Output, answers: readonly ClaimAnswer[]): void {
  for (const answer of answers) output.jsonLine(answer);
  const lines = answers.map(({ id, claimed, reason }) =>
    [id, claimed ? 'claimed' : 'refused', reason ?? ''].join('\t').trimEnd(),
  );
  if (lines.length > 0) output.result(lines.join('\n'));
}

interface Claimer {
  readonly store: TrustedStore;
  readonly selected: SelectedSession;
  readonly person: string;
  readonly place: string;
}

/** Claims of lines that came together, several in a ref transaction. */
class Claims {
  readonly #claimer: Claimer;
  #share: ClaimBatchSize | null = null;

  constructor(claimer: Claimer) {
    this.#claimer = claimer;
  }

  /** Answers the first of the ids, at least one, in their order. What others hold costs no transaction. */
  async take(ids: readonly string[]): Promise<readonly ClaimAnswer[]> {
    const { store, selected } = this.#claimer;
    const now = await store.snapshot();
    const tasks = now.tasksOf(selected.require(now).id);
    const refused = refuseIdsBeforeFirstClaim(ids, tasks);
    this.#share ??= new ClaimBatchSize(tasks);
    if (refused.length > 0) return refused;
    const share = this.#share;
    return this.#claim(ids, share).catch((error: unknown) => {
      // A note that can't be read is the answer to its line; the others continue.
      if (!(error instanceof FlameError) || error.code !== 'state-corrupt') throw error;
      const [id = ''] = ids;
      return ids.length > 1 ? this.#claim([id], share) : [{ id, claimed: false, reason: error.message }];
    });
  }

  async #claim(ids: readonly string[], share: ClaimBatchSize): Promise<readonly ClaimAnswer[]> {
    const { store, selected, person } = this.#claimer;
    let round: ClaimRound | null = null;
    const done = await store.transact(
      (snapshot, waiting): Transaction | null => {
        const { session } = snapshot.admitted(selected.require(snapshot).id);
        const tasks = snapshot.tasksOf(session.id);
        const most = share.next(tasks, waiting);
        round = claimTasksInOrder(ids, { session, tasks }, { ...this.#claimer, most });
        if (round.changes.length === 0) return null;
        return { changes: round.changes, accepted: round.accepted, actor: person };
      },
      { isLarge: true },
    );
    if (round === null) return [];
    const { answers }: ClaimRound = round;
    if (done.kind === 'done')
      share.took(
        answers.filter(({ claimed }) => claimed).length,
        done.snapshot.tasksOf(selected.require(done.snapshot).id),
      );
    return answers;
  }
}

/** One answer of `claim --stdin`, as --json prints it. */
interface ClaimAnswer {
  readonly id: string;
  readonly claimed: boolean;
  /** Why not; null when it was. */
  readonly reason: string | null;
}

/** The claims of one ref transaction, and what the person accepts by them. */
interface ClaimRound {
  /** Of the first ids, in their order. */
  readonly answers: readonly ClaimAnswer[];
  readonly changes: readonly StateChange[];
  readonly accepted: readonly LoggedDecision[];
}

/** The ids before the first one that can be claimed: nothing needs to be written for them. */
export function refuseIdsBeforeFirstClaim(ids: readonly string[], tasks: readonly Task[]): readonly ClaimAnswer[] {
  const answers: ClaimAnswer[] = [];
  const find = finder(tasks);
  const objectionOf = (task: Task): string | null => whyNotClaimableByHand(task, tasks, Number.POSITIVE_INFINITY);
  for (const id of ids) {
    const reason = objectionTo(find(id), objectionOf);
    if (reason === null) break;
    answers.push({ id, claimed: false, reason });
  }
  return answers;
}

/** Claims the ids one after the other, each on what those before it leave, until there are `most`. */
export function claimTasksInOrder(
  ids: readonly string[],
  state: { readonly session: Session; readonly tasks: readonly Task[] },
  claimer: {
    readonly person: string;
    readonly place: string;
    readonly most: number;
  },
): ClaimRound {
  const find = finder(state.tasks);
  const taken = new Map<string, Task>();
  const objectionOf = (task: Task): string | null => rules.objectionTo(task);
  const rules = new ManualClaimChecker(state.tasks, Number.POSITIVE_INFINITY);
  const answers: ClaimAnswer[] = [];
  const changes: StateChange[] = [];
  const accepted: LoggedDecision[] = [];
  let { session } = state;
  const claim = {
    worktree: null,
    at: new Date().toISOString(),
    claimedBy: claimer.person,
    host: claimer.place,
  };
  for (const id of ids) {
    if (taken.size === claimer.most) break;
    const task = taken.get(id) ?? find(id);
    const reason = session.machines === undefined ? objectionTo(task, objectionOf) : 'machines share its session';
    answers.push({ id, claimed: reason === null, reason });
    if (task === undefined || reason !== null) continue;
    const steps = makeManualClaimChanges(task, claim);
    const reopened = reopenSessionForTask(session, task.id);
    changes.push(
      ...steps.map(({ task: next, subject, transition }) => ({ tasks: [next], subject, transition })),
      ...(reopened === undefined ? [] : [{ subject: reopened.subject, session: reopened.next }]),
    );
    // Taking a task accepts it, if it was received.
    accepted.push(...listDecisionsOfManualTask(task));
    session = reopened?.next ?? session;
    const claimed = steps.at(-1)?.task ?? task;
    taken.set(id, claimed);
    rules.add(claimed);
  }
  return { answers, changes, accepted };
}

function finder(tasks: readonly Task[]): (id: string) => Task | undefined {
  const byId = new Map<string, Task>(tasks.map((task) => [task.id, task]));
  return (id) => byId.get(id);
}

function objectionTo(task: Task | undefined, objectionOf: (task: Task) => string | null): string | null {
  return task === undefined ? "doesn't exist" : objectionOf(task);
}
