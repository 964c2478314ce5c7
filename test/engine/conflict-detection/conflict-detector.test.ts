import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type ObjectId, parseObjectId } from '../../../lib/domain/ids.ts';
import type { CellWorktree } from '../../../lib/domain/ports/git-cells.ts';
import type { Session } from '../../../lib/domain/state/session-schema.ts';
import type { Task } from '../../../lib/domain/state/task-schema.ts';
import type { PredictedConflicts } from '../../../lib/domain/view-models/status-view.ts';
import {
  type ConflictDetectorPorts,
  createConflictDetector,
} from '../../../lib/engine/conflict-detection/conflict-detector.ts';
import { personWorktreePath } from '../../../lib/engine/manual/worktree-of-person.ts';
import { viewSession } from '../../../lib/engine/record-changes.ts';
import { runWorkWave } from '../../../lib/engine/work/work-wave.ts';
import { agentCommits } from '../../git/cell-fixture.ts';
import { appending, openStack, shared, stackTask } from '../../support/stack.ts';
import { makeTask } from '../../support/tasks.ts';
import { closeWorkshops, openTestWorkshop, type TestWorkshop } from '../../support/workshop.ts';

test.after(closeWorkshops);

const going = new AbortController().signal;

interface Bench extends TestWorkshop {
  readonly view: Session;
  readonly parts: ConflictDetectorPorts;
  /** Merges and listings that were asked of git, in order. */
  readonly asked: string[];
  /** What processes leave for each other. */
  readonly kept: Map<string, string>;
}

async function openBench(): Promise<Bench> {
  const bench = await openTestWorkshop({
    tasks: [stackTask({ id: 'task-003' })],
    agent: () => ({}),
    files: { [shared]: 'base\n', 'docs/a.md': 'a\n' },
  });
  const { context } = bench;
  const { git } = context;
  const asked: string[] = [];
  const kept = new Map<string, string>();
  const parts: ConflictDetectorPorts = {
    now: context.now,
    worktreeOf: (task) => personWorktreePath(context, task),
    trialCache: {
      read: async (key) => kept.get(key) ?? null,
      write: async (key, text) => void kept.set(key, text),
    },
    git: {
      ...git,
      cells: git.cells,
      cellHead: git.cellHead,
      restingTip: git.restingTip,
      resolveCommit: git.resolveCommit,
      treeChanges: git.treeChanges,
      mergeBase: git.mergeBase,
      tryMerge: (one, other, signal) => {
        asked.push('merge');
        return git.tryMerge(one, other, signal);
      },
      pathsChanged: (from, to, options) => {
        asked.push('paths');
        return git.pathsChanged(from, to, options);
      },
    },
  };
  const { session } = await viewSession(context, bench.session);
  return { ...bench, view: session, parts, asked, kept };
}

function write(folder: string, path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

/** A task that was accepted with one file changed. */
function doneTask({ repo, session }: Bench, id: string, path: string, text: string, fields = {}): Task {
  const start = parseObjectId(repo.git('rev-parse', 'main'));
  const tree = join(`${repo.path}.trees`, `done-${id}`);
  repo.git('worktree', 'add', '-q', '--detach', tree, start);
  write(tree, path, text);
  repo.git('-C', tree, 'add', '-A');
  repo.git('-C', tree, 'commit', '-qm', id);
  const commit = parseObjectId(repo.git('-C', tree, 'rev-parse', 'HEAD'));
  const accepted = { status: 'done', branch: 'b', commit, start_commit: start } as const;
  return makeTask(id, { session, file_locks: [path], ...accepted, ...fields });
}

/** A task an agent works on, and its cell. */
async function runningTask(
  { context, repo, session }: Bench,
  id: string,
): Promise<{ readonly task: Task; readonly cell: CellWorktree }> {
  const path = join(`${repo.path}.trees`, `agent-${id}`);
  const start = parseObjectId(repo.git('rev-parse', 'main'));
  const { id: name } = makeTask(id);
  const cell = await context.git.addCellWorktree(path, start, { session, task: name });
  const agent = context.newAgentId('worker');
  const task = makeTask(id, {
    ...{ session, status: 'claimed', agent_id: agent, worktree: path, claimed_by: 'Lea', commit: null },
    claimed_at: context.now().toISOString(),
  });
  return { task, cell };
}

function commitIn(cell: CellWorktree, path: string, text: string): ObjectId {
  write(cell.path, path, text);
  return agentCommits(cell, path);
}

function told({ found }: PredictedConflicts): readonly unknown[] {
  return found.map(({ one, other, paths }) => [
    ...[one.task, one.at_work],
    ...('task' in other ? [other.task, other.at_work] : [other.branch]),
    paths,
  ]);
}

test('accepted work and that of a running agent: the conflict is seen, tried once, and kept for other processes', async () => {
  const bench = await openBench();
  const { parts, asked, view } = bench;
  const done = doneTask(bench, 'task-003', shared, 'three\n');
  const { task, cell } = await runningTask(bench, 'task-007');
  const detector = createConflictDetector(parts);
  const look = () => detector.look({ session: view, tasks: [done, task] }, { trials: 9, signal: going });
  assert.equal(await look(), { found: [], untried_pairs: 0, unseen_tasks: 0 });
  assert.equal(asked, []);
  commitIn(cell, 'docs/b.md', 'b\n');
  assert.equal(told(await look()), []);
  commitIn(cell, shared, 'seven\n');
  assert.equal(told(await look()), [['task-003', false, 'task-007', true, [shared]]]);
  assert.equal(asked, ['paths', 'paths', 'merge']);
  await look();
  assert.is(asked.length, 3, 'nothing changed, nothing is asked');
  const other = await createConflictDetector(parts).look(
    { session: view, tasks: [done, task] },
    { trials: 0, signal: going },
  );
  assert.equal(told(other), [['task-003', false, 'task-007', true, [shared]]]);
  assert.is(asked.filter((what) => what === 'merge').length, 1);
});

test('what landed on the branch meanwhile is tried against all that began before', async () => {
  const bench = await openBench();
  const { parts, repo, view } = bench;
  const { task, cell } = await runningTask(bench, 'task-007');
  commitIn(cell, shared, 'seven\n');
  repo.write(shared, 'landed\n');
  repo.commit('landed');
  const detector = createConflictDetector(parts);
  const look = () => detector.look({ session: view, tasks: [task] }, { trials: 9, signal: going });
  assert.equal(told(await look()), [['task-007', true, 'main', [shared]]]);
  repo.git('reset', '-q', '--hard', 'HEAD~1');
  assert.equal(told(await look()), []);
});

test('a task built on another does not conflict with it; one beside both conflicts with the lower one', async () => {
  const bench = await openBench();
  const { repo, parts, view } = bench;
  const a = doneTask(bench, 'task-001', shared, 'a\n');
  const commit = a.commit;
  if (commit === null) throw new Error('no commit');
  repo.git('checkout', '-q', '-b', 'side', commit);
  repo.write(shared, 'a\nb\n');
  const upper = parseObjectId(repo.commit('b'));
  repo.git('checkout', '-q', 'main');
  const ground = { built_on: [{ task: a.id, commit }], commit: upper, start_commit: commit };
  const b = { ...doneTask(bench, 'task-002', 'docs/z.md', 'z'), ...ground } as Task;
  const c = doneTask(bench, 'task-003', shared, 'c\n');
  const ahead = await createConflictDetector(parts).look(
    { session: view, tasks: [a, b, c] },
    { trials: 9, signal: going },
  );
  assert.equal(told(ahead), [['task-001', false, 'task-003', false, [shared]]]);
});

test('claims by hand count by what is committed, whether their worktree is there or gone', async () => {
  const bench = await openBench();
  const { parts, repo, view, session } = bench;
  const done = doneTask(bench, 'task-003', shared, 'three\n');
  const start = parseObjectId(repo.git('rev-parse', 'main'));
  const mine = makeTask('task-004', {
    ...{ session, status: 'claimed', agent_id: null, worktree: join(`${repo.path}.trees`, 'gone') },
    ...{ claimed_by: 'Lea', claimed_at: '2026-02-06T14:30:22.000Z', start_commit: start, commit: null },
  });
  const detector = createConflictDetector(parts);
  const look = () => detector.look({ session: view, tasks: [done, mine] }, { trials: 9, signal: going });
  assert.equal(told(await look()), []);
  repo.git('checkout', '-q', '-b', `blueflame/${session}/task-004`);
  repo.write(shared, 'four\n');
  repo.commit('four');
  repo.git('checkout', '-q', 'main');
  assert.equal(told(await look()), [['task-003', false, 'task-004', true, [shared]]]);
});

test('what could not be looked at or tried is counted: broken heads, missing commits, time that is up', async () => {
  const bench = await openBench();
  const { parts, view } = bench;
  const works = ['task-001', 'task-002', 'task-003'].map((id) => doneTask(bench, id, 'docs/same', 'same'));
  const { task, cell } = await runningTask(bench, 'task-007');
  writeFileSync(join(cell.quarantine.worktreeGitDir, 'HEAD'), 'nonsense\n');
  const missing = { ...works[0], id: 'task-009', commit: '1'.repeat(40) } as Task;
  const tasks = [...works, task, missing];
  const look = (trials: number, signal = going) =>
    createConflictDetector(parts).look({ session: view, tasks }, { trials, signal });
  assert.equal(await look(2), { found: [], untried_pairs: 1, unseen_tasks: 2 });
  assert.equal(await look(2), { found: [], untried_pairs: 0, unseen_tasks: 2 });
  assert.is((await look(2, AbortSignal.abort())).unseen_tasks, 5);
});

test('what another process left is read with care', async () => {
  const bench = await openBench();
  const { parts, kept, view, session } = bench;
  const tasks = ['task-001', 'task-002'].map((id) => doneTask(bench, id, 'docs/same', 'same'));
  for (const text of ['', '{"half', '[["x",{"kind":"odd"}]]', '7']) {
    kept.set(`merges tried ahead ${session}`, text);
    const ahead = await createConflictDetector(parts).look({ session: view, tasks }, { trials: 9, signal: going });
    assert.is(ahead.untried_pairs, 0);
  }
});

test('a work wave says it once while other agents are at work', async () => {
  const apart = ['c', 'd', 'e'].map((id) => ({ id, locks: ['docs/'] }));
  const bench = await openStack({
    tasks: [{ id: 'a', priority: 1 }, { id: 'b', priority: 2 }, ...apart],
    agent: appending((task) => (task === 'a' || task === 'b' ? shared : `docs/${task}`)),
    config: {
      roles: { worker: { adapter: 'exec' } },
      concurrency: { overlap: 'separate', development: 1 },
    },
  });
  const { agents, events } = bench.context;
  const seen = new AbortController();
  const emit: typeof events.emit = (body) => {
    events.emit(body);
    if (body.event === 'conflicts-ahead') seen.abort();
  };
  // The others stay at work until a look has seen the two: one that is slow ends with the wave.
  const start: typeof agents.start = async (request, ...rest) => {
    if (request.task !== 'a' && request.task !== 'b')
      await setTimeout(60_000, null, { signal: seen.signal }).catch(() => null);
    return agents.start(request, ...rest);
  };
  await runWorkWave(
    { ...bench.context, now: () => new Date(), events: { emit }, agents: { ...agents, start } },
    bench.session,
  );
  const ahead = bench.events.flatMap((event) => (event.event === 'conflicts-ahead' ? [event] : []));
  assert.equal(
    ahead.map(({ added }) => added.map(({ one, paths }) => [one.task, paths])),
    [[['a', [shared]]]],
  );
});

test.run();
