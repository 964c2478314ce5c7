import { handDecisions } from '../../core/admission/decisions.ts';
import { reopenSession } from '../../core/changesets/reopen-session.ts';
import { ClaimRules, claimObjection, takeByHand } from '../../core/schedule/claim-rules.ts';
import type { Change } from '../../domain/ports/store-port.ts';
import type { Decision } from '../../domain/state/decision-log.ts';
import type { Session } from '../../domain/state/session.ts';
import type { Task } from '../../domain/state/task.ts';

/** One answer of `claim --stdin`, as --json prints it. */
export interface ClaimAnswer {
  readonly id: string;
  readonly claimed: boolean;
  /** Why not; null when it was. */
  readonly reason: string | null;
}

/** The claims of one ref transaction, and what the person accepts by them. */
export interface ClaimRound {
  /** Of the first ids, in their order. */
  readonly answers: readonly ClaimAnswer[];
  readonly changes: readonly Change[];
  readonly accepted: readonly Decision[];
}

/** The ids before the first one that can be claimed: nothing needs to be written for them. */
export function refusedFirst(ids: readonly string[], tasks: readonly Task[]): readonly ClaimAnswer[] {
  const answers: ClaimAnswer[] = [];
  const find = finder(tasks);
  const objectionOf = (task: Task): string | null => claimObjection(task, tasks, Number.POSITIVE_INFINITY);
  for (const id of ids) {
    const reason = objectionTo(find(id), objectionOf);
    if (reason === null) break;
    answers.push({ id, claimed: false, reason });
  }
  return answers;
}

/** Claims the ids one after the other, each on what those before it leave, until there are `most`. */
export function claimRound(
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
  const rules = new ClaimRules(state.tasks, Number.POSITIVE_INFINITY);
  const answers: ClaimAnswer[] = [];
  const changes: Change[] = [];
  const accepted: Decision[] = [];
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
    const reason =
      session.machines === undefined ? objectionTo(task, objectionOf) : 'machines share its session';
    answers.push({ id, claimed: reason === null, reason });
    if (task === undefined || reason !== null) continue;
    const steps = takeByHand(task, claim);
    const reopened = reopenSession(session, task.id);
    changes.push(
      ...steps.map(({ task: next, subject, transition }) => ({ tasks: [next], subject, transition })),
      ...(reopened === undefined ? [] : [{ subject: reopened.subject, session: reopened.next }]),
    );
    // Taking a task accepts it, if it was received.
    accepted.push(...handDecisions(task));
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
