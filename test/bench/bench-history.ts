import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseSessionId } from '../../lib/domain/ids.ts';
import type { Store } from '../../lib/domain/ports/store-port.ts';
import type { Session } from '../../lib/domain/state/session-schema.ts';
import { openGit } from '../../lib/git/open-git.ts';
import { createTasks, openTestStore, sampleSession, sampleTask, setStatus } from '../store/sample.ts';
import { makeRepo, type TestRepo } from '../support/repo.ts';
import { nodeAlone, program } from './bench-version.ts';
import { type BenchRow, type Figure, median } from './figures.ts';
import { type TimedCommand, timeCommands } from './time-commands.ts';

const many = { tasks: 10_000, changes: 10_000 };
const few = { tasks: 1_000, changes: 1_000 };
const sessions = 10;
const edge = 500;
const rounds = 9;

/** 10,000 changes of 10,000 tasks, tidied up as a run does it: what one more costs, how large it gets, how quickly it reads. */
export async function benchHistory(): Promise<BenchRow[]> {
  const [large, fresh, small, parted] = [makeRepo(), makeRepo(), makeRepo(), makeRepo()];
  await fillHistory(large, many);
  await fillHistory(fresh, { ...many, changes: 0 });
  await fillHistory(small, few);
  await fillSessions(parted);
  const changed = await timeChanges([large, fresh]);
  const megabytes = (sizeOf(join(large.path, '.git/objects')) / 1e6).toFixed(1);
  const timed = await timeCommands(
    {
      status: commandIn(large, program, 'status'),
      statusOfFew: commandIn(small, program, 'status'),
      statusOfPart: commandIn(parted, program, 'status'),
      node: nodeAlone,
    },
    rounds,
  );
  for (const repo of [large, fresh, small, parted]) repo.remove();
  return [stateRow(changed, megabytes), ...readingRows(timed)];
}

function stateRow([ours, other]: readonly [Figure, Figure], megabytes: string): BenchRow {
  return {
    what: `state change after 10,000 (${megabytes} MB)`,
    against: 'after none',
    figures: { ours, other },
    target: { kind: 'ratio', most: 1.5 },
  };
}

/** So many changes in each, in turns: a machine is not equally fast all the time. */
async function timeChanges([one, other]: readonly [TestRepo, TestRepo]): Promise<readonly [Figure, Figure]> {
  const stores = [await openTestStore(one), await openTestStore(other)] as const;
  const times: readonly [number[], number[]] = [[], []];
  for (let at = 0; at < edge; at += 1)
    for (const side of [0, 1] as const) {
      const began = performance.now();
      await setStatus(stores[side], idOf((at * 37) % many.tasks), 'claimed');
      times[side].push(performance.now() - began);
    }
  for (const store of stores) await store.close();
  return [figure(times[0]), figure(times[1])];
}

function readingRows(timed: Readonly<Record<'status' | 'statusOfFew' | 'statusOfPart' | 'node', Figure>>): BenchRow[] {
  const all = '10,000 tasks and changes';
  const row = (what: string, ours: Figure, against: string, other: Figure, most: number | null): BenchRow => ({
    ...{ what, against, figures: { ours, other } },
    target: most === null ? null : { kind: 'ratio', most },
  });
  return [
    row(`\`status\`, ${all}`, timed.status, '`node -e 0`', timed.node, null),
    row(`\`status\`, ${all}`, timed.status, 'a tenth of both', timed.statusOfFew, 3),
    row(`\`status\`, one of ${sessions} sessions`, timed.statusOfPart, 'the only session', timed.statusOfFew, 1.5),
  ];
}

function commandIn(repo: TestRepo, ...argv: readonly string[]): TimedCommand {
  return { argv, cwd: repo.path, env: repo.env };
}

async function fillHistory(
  repo: TestRepo,
  { tasks, changes }: { readonly tasks: number; readonly changes: number },
): Promise<void> {
  const git = await openGit({ cwd: repo.path, env: repo.env });
  const store = await openTestStore(repo);
  await addSession(store, sampleSession());
  const ids = idsUpTo(tasks);
  await createTasks(
    store,
    ids.map((id) => sampleTask(id)),
  );
  for (let at = 0; at < changes; at += 1) {
    await setStatus(store, ids[(at * 37) % tasks] ?? '', 'claimed');
    if (at % edge === edge - 1) await git.packManyLooseObjects();
  }
  await store.close();
  await git.close();
}

async function fillSessions(repo: TestRepo): Promise<void> {
  const store = await openTestStore(repo);
  for (let at = 0; at < sessions; at += 1) {
    const session = parseSessionId(`ses-20260206-14302${at}-1a2b`);
    await addSession(store, sampleSession(session, { created_at: `2026-02-06T14:30:2${at}.000Z` }));
    await createTasks(
      store,
      idsUpTo(few.tasks).map((id) => sampleTask(id, { session })),
    );
  }
  await store.close();
}

async function addSession(store: Store, session: Session): Promise<void> {
  await store.transact(() => ({
    actor: 'Lea Lead <lea@example.com>',
    changes: [{ subject: 'session: started', session }],
  }));
}

function idsUpTo(count: number): string[] {
  return Array.from({ length: count }, (_, at) => idOf(at));
}

function idOf(at: number): string {
  return `task-${String(at + 1).padStart(5, '0')}`;
}

function sizeOf(folder: string): number {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.reduce((sum, file) => sum + statSync(join(file.parentPath, file.name)).size, 0);
}

function figure(times: readonly number[]): Figure {
  return { wall_ms: median(times), cpu_ms: null };
}
