import { claimTask, completeTask, releaseTask } from '../../../lib/core/task/task-attempt.ts';
import type { AgentId, ObjectId } from '../../../lib/domain/ids.ts';
import type { Change, Snapshot, Store } from '../../../lib/domain/ports/store-port.ts';
import type { Breach } from '../../../lib/domain/state/breach.ts';
import type { Session } from '../../../lib/domain/state/session.ts';
import type { Task } from '../../../lib/domain/state/task.ts';
import { openStore } from '../../../lib/store/open-store.ts';
import { signCommitText } from '../../../lib/util/commit-signature.ts';
import { makePrivateKey, nameWithKey, publicKeyOf } from '../../../lib/util/machine-key.ts';
import type { TestRepo } from '../../support/repo.ts';
import { sampleSession, sampleSessionId } from '../sample.ts';
import { commonDirOf, inStore, makeClones, sync, taskOf } from '../sync-clones.ts';
import { type Machine, openMachine } from './machine.ts';

// ada leads, ben helps, and eve pushes what she likes.

const keyOf = new Map<string, string>();
export const [ada, ben, eve] = (['a', 'b', 'c'] as const).map(named) as [string, string, string];

function named(letter: string): string {
  const key = makePrivateKey();
  const name = nameWithKey(`host/${letter.repeat(8)}`, publicKeyOf(key));
  keyOf.set(name, key);
  return name;
}

export function own(name: string): string {
  return keyOf.get(name) ?? '';
}

// Signs come with what each does, and by no clock.
const lease = { leaseMs: 600_000, renewMs: 120_000 };
const at = '2026-03-01T08:00:00.000Z';

export interface Bench {
  readonly remote: TestRepo;
  readonly evil: TestRepo;
  readonly repos: Readonly<Record<string, TestRepo>>;
  readonly ada: Machine;
  readonly ben: Machine;
}

const opened: Machine[] = [];
export async function closeMachines(): Promise<void> {
  await Promise.all(opened.splice(0).map(({ close }) => close()));
}

export async function stop(machine: Machine): Promise<void> {
  opened.splice(opened.indexOf(machine), 1);
  await machine.close();
}

export async function enter(repo: TestRepo, name: string): Promise<Machine> {
  const machine = await openMachine(repo, name, { key: own(name) });
  opened.push(machine);
  await machine.sharing.look();
  machine.sharing.enter(sampleSessionId, lease);
  await machine.sharing.look();
  return machine;
}

export async function bench(): Promise<Bench> {
  const { remote, clones } = await makeClones(['task-001', 'task-002']);
  const [a, b, evil] = clones;
  const terms = { lead: ada, remote: 'origin', term: 1, lease_ms: 600_000, renew_ms: 120_000 };
  await inStore(a, (store) =>
    store.transact(() => ({
      actor: 'a',
      changes: [{ subject: 'led', session: sampleSession(sampleSessionId, { machines: terms }) }],
    })),
  );
  await sync(a);
  const [one, two] = [await enter(a, ada), await enter(b, ben)];
  // Each has seen the other by then.
  await one.sharing.look();
  await two.sharing.look();
  return {
    ...{ remote, evil, repos: { [ada]: a, [ben]: b }, ada: one, ben: two },
  };
}

export function repoOf({ repos, evil }: Bench, name: string): TestRepo {
  return repos[name] ?? evil;
}

export type Step = (task: Task) => Task;
export const claimed =
  (host: string, change: Partial<Task> = {}): Step =>
  (task) => ({
    ...claimTask(task, { agentId: `worker-${host}` as AgentId, worktree: null, at, claimedBy: host, host })
      .task,
    ...(change as object),
  });
export const done: Step = (task) => {
  const [commit, start] = ['1'.repeat(40), '2'.repeat(40)] as ObjectId[];
  if (commit === undefined || start === undefined) throw new Error('two');
  return completeTask(task, { commit, start, branch: 'b', notes: '', at, cost: 0, tokens: 0 }).task;
};
export const released: Step = (task) => releaseTask(task, { reason: 'x', at }).task;

export const changing =
  (id: string, ...steps: readonly Step[]) =>
  (snapshot: Snapshot): { readonly actor: string; readonly changes: readonly Change[] } => {
    let task = taskOf(snapshot, id);
    const changes = steps.map((step) => {
      task = step(task);
      return { subject: `${id}: ${task.status}`, tasks: [task] };
    });
    return { actor: 'x', changes };
  };

/** Has the session go through such steps. */
export const leading =
  (...steps: readonly ((session: Session) => Session)[]) =>
  (snapshot: Snapshot): { readonly actor: string; readonly changes: readonly Change[] } => {
    let session = snapshot.sessions.find(({ id }) => id === sampleSessionId);
    const changes = steps.map((step) => {
      if (session === undefined) throw new Error('no session');
      session = step(session);
      return { subject: 'session', session };
    });
    return { actor: 'x', changes };
  };

/** What somebody with push rights writes, by no program of ours, signed with a key or not. */
export async function push(
  { evil }: Bench,
  steps: Parameters<Store['transact']>[0],
  key: string | null = null,
): Promise<void> {
  evil.git('fetch', '-q', 'origin', '+refs/blueflame/*:refs/blueflame/*');
  const store = await openStore({
    context: { cwd: evil.path, env: evil.env },
    ...{ commonDir: commonDirOf(evil), objectFormat: 'sha1' },
    signer: () => (key === null ? null : (text) => signCommitText(text, key, 'sha1')),
  });
  await store.transact(steps);
  await store.close();
  evil.git('push', '-q', 'origin', 'refs/blueflame/*:refs/blueflame/*');
}

export async function seenBy(machine: Machine): Promise<readonly Breach[]> {
  await machine.sharing.look();
  return machine.sharing.breaches().map(({ breach }) => breach);
}

export const brief = (found: readonly Breach[]): readonly unknown[] =>
  found.map(({ kind, task, machine, by, key }) => [kind, task, machine, by, key]);
