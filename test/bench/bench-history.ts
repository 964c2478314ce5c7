import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { openGit } from '../../lib/git/open-git.ts';
import { createTasks, openTestStore, sampleSession, sampleTask, setStatus } from '../store/sample.ts';
import { makeRepo, type TestRepo } from '../support/repo.ts';
import { nodeAlone, program } from './bench-version.ts';
import { type BenchRow, type Figure, median } from './figures.ts';
import { timeCommands } from './time-commands.ts';

const tasks = 10_000;
const changes = 10_000;
const edge = 500;
const rounds = 5;

/** 10,000 changes of 10,000 tasks, tidied up as a run does it: what the last ones cost, how large it gets, how quickly it reads. */
export async function benchHistory(): Promise<BenchRow[]> {
  const repo = makeRepo();
  const times = await fillHistory(repo);
  const megabytes = (sizeOf(join(repo.path, '.git/objects')) / 1e6).toFixed(1);
  const place = { cwd: repo.path, env: repo.env };
  const git = { ...place, argv: ['git', 'log', '-n', '100', 'refs/blueflame/tasks'] };
  const log = { ...place, argv: [program, 'log', '-n', '100'] };
  const status = { ...place, argv: [program, 'status'] };
  const timed = await timeCommands({ log, git, status, node: nodeAlone }, rounds);
  repo.remove();
  const many = '10,000 tasks and 10,000 changes';
  return [
    {
      what: `one state change, the last 500 of 10,000 (all objects: ${megabytes} MB)`,
      against: 'the first 500',
      figures: { ours: figure(times.slice(-edge)), other: figure(times.slice(0, edge)) },
      target: { kind: 'ratio', most: 1.5 },
    },
    {
      what: `\`log -n 100\`, ${many}`,
      against: '`git log -n 100`',
      figures: { ours: timed.log, other: timed.git },
      target: null,
    },
    {
      what: `\`status\`, ${many}`,
      against: '`node -e 0`',
      figures: { ours: timed.status, other: timed.node },
      target: null,
    },
  ];
}

async function fillHistory(repo: TestRepo): Promise<readonly number[]> {
  const git = await openGit({ cwd: repo.path, env: repo.env });
  const store = await openTestStore(repo);
  await store.transact(() => ({
    actor: 'Lea Lead <lea@example.com>',
    changes: [{ subject: 'session: started', session: sampleSession() }],
  }));
  const ids = Array.from({ length: tasks }, (_, at) => `task-${String(at + 1).padStart(5, '0')}`);
  await createTasks(
    store,
    ids.map((id) => sampleTask(id)),
  );
  const times: number[] = [];
  for (let at = 0; at < changes; at += 1) {
    const began = performance.now();
    await setStatus(store, ids[(at * 37) % tasks] ?? '', 'claimed');
    times.push(performance.now() - began);
    if (at % edge === edge - 1) await git.tidy();
  }
  await store.close();
  await git.close();
  return times;
}

function sizeOf(folder: string): number {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return files.reduce((sum, file) => sum + statSync(join(file.parentPath, file.name)).size, 0);
}

function figure(times: readonly number[]): Figure {
  return { wall_ms: median(times), cpu_ms: null };
}
