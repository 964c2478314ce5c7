import { createTasks, openTestStore, sampleSession, sampleTask } from '../store/sample.ts';
import { makeRepo, makeTempDir, type TestRepo } from '../support/repo.ts';
import { nodeAlone, program } from './bench-version.ts';
import type { BenchRow } from './figures.ts';
import { installBacklog, makeBacklogProject } from './install-backlog.ts';
import { type TimedCommand, timeCommands } from './time-commands.ts';

const rounds = 15;

/** `status` over few and many tasks, against starting node and against another task list in git. */
export async function benchStatus(): Promise<BenchRow[]> {
  const backlog = installBacklog();
  const rows: BenchRow[] = [];
  for (const n of [10, 1_000]) {
    const ours = statusOf(await makeProject(n));
    const what = `\`status\`, ${n.toLocaleString('en')} tasks`;
    const { status, node } = await timeCommands({ status: ours, node: nodeAlone }, rounds);
    rows.push({ what, against: '`node -e 0`', figures: { ours: status, other: node }, target: null });
    const target = n === 1_000 ? ({ kind: 'ratio', most: 0.5 } as const) : null;
    if (typeof backlog === 'string') {
      rows.push({ what, against: '`backlog task list`', figures: null, target, missing: backlog });
      continue;
    }
    const theirs = makeBacklogProject(backlog, n);
    const other: TimedCommand = {
      argv: [backlog.program, 'task', 'list', '--plain'],
      cwd: theirs.path,
      env: { ...theirs.env, HOME: makeTempDir() },
    };
    const { mine, list } = await timeCommands({ mine: ours, list: other }, rounds);
    const against = `\`backlog task list\` ${backlog.version}`;
    rows.push({ what, against, figures: { ours: mine, other: list }, target });
  }
  return rows;
}

function statusOf(repo: TestRepo): TimedCommand {
  return { argv: [program, 'status'], cwd: repo.path, env: repo.env };
}

async function makeProject(n: number): Promise<TestRepo> {
  const repo = makeRepo();
  const store = await openTestStore(repo);
  await store.transact(() => ({
    actor: 'Lea Lead <lea@example.com>',
    changes: [{ subject: 'session: started', session: sampleSession() }],
  }));
  await createTasks(
    store,
    Array.from({ length: n }, (_, at) => sampleTask(`task-${String(at + 1).padStart(5, '0')}`)),
  );
  await store.close();
  return repo;
}
