import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import type { Store } from '../../lib/domain/ports/store-port.ts';
import type { Session } from '../../lib/domain/state/session-schema.ts';
import type { Task } from '../../lib/domain/state/task-schema.ts';
import { viewSession } from '../../lib/engine/record-changes.ts';
import { runWorkWave } from '../../lib/engine/work/work-wave.ts';
import { type AdmissionStore, openAdmissionStore } from '../../lib/store/admission/admission-store.ts';
import { openStore } from '../../lib/store/open-store.ts';
import { alterTask, type TaskFields } from './tasks.ts';
import { closeWorkshops, openTestWorkshop, type TestWorkshop } from './workshop.ts';

// A session of this clone, and what somebody with push rights writes into its notes.

const opened: Store[] = [];

/** To be called once a file's tests are over. */
export async function closeForged(): Promise<void> {
  await Promise.all(opened.map((store) => store.close()));
  await closeWorkshops();
}

const planned = ['a', 'b'].map((id) => ({
  id,
  title: `Do ${id}`,
  description: 'Do it.',
  file_locks: [`${id}.txt`],
}));

/** A session whose task a is done here, and whose task b is still to do. */
export async function makeSession(): Promise<TestWorkshop> {
  const bench = await openTestWorkshop({
    tasks: planned,
    agent: ({ worktree, task }) => {
      if (task === 'b') return { failure: { kind: 'spawn-failed', message: 'no', details: [], retryable: false } };
      writeFileSync(join(worktree.path, `${task}.txt`), 'done\n');
      return {};
    },
  });
  await runWorkWave(bench.context, bench.session);
  return bench;
}

export async function forge(
  { said, session }: TestWorkshop,
  change: { readonly task?: readonly [string, Partial<TaskFields>]; readonly session?: Partial<Session> },
): Promise<void> {
  await said.transact((state) => {
    const [id, patch] = change.task ?? ['', {}];
    const tasks = state.tasksOf(session).filter((task) => task.id === id);
    const stored = state.sessions.find((one) => one.id === session);
    assert.ok(stored !== undefined);
    return {
      changes: [
        { subject: 'forged', tasks: tasks.map((task) => alterTask(task, patch)) },
        ...(change.session === undefined ? [] : [{ subject: 'forged', session: { ...stored, ...change.session } }]),
      ],
      actor: 'Lea Lead <lea@example.com>',
    };
  });
}

export async function taskIn({ context, session }: TestWorkshop, id: string): Promise<Task | undefined> {
  return (await viewSession(context, session)).tasks.find((task) => task.id === id);
}

export async function doubtsOf({ context }: TestWorkshop): Promise<readonly string[]> {
  const { unverified } = await context.store.snapshot();
  return unverified.map(({ about, said, counts }) => `${about} ${said}: ${counts}`);
}

/** The same workshop with a store that has read nothing yet. */
export async function reopen(
  bench: TestWorkshop,
  variables: Readonly<Record<string, string>> = {},
): Promise<TestWorkshop> {
  return { ...bench, context: { ...bench.context, store: await heedingOf(bench, variables) } };
}

/** A store of its own on the same notes. */
export async function heedingOf(
  { repo, context }: TestWorkshop,
  variables: Readonly<Record<string, string>> = {},
): Promise<AdmissionStore> {
  const { commonDir, objectFormat } = context.git.repository;
  const gitContext = { cwd: repo.path, env: { ...repo.env, ...variables } };
  const storing = { context: gitContext, commonDir, objectFormat };
  const store = openAdmissionStore(await openStore(storing), { ...storing, decided: context.decided });
  opened.push(store);
  return store;
}
