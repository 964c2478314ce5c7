import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { listChangesetsToBuild } from '../../lib/core/changesets/changesets-to-build.ts';
import { listTasksToValidate, sortTasksByDependency } from '../../lib/core/changesets/cohesion-groups.ts';
import { computeChainLengths, predictTaskBatches } from '../../lib/core/schedule/predict-batches.ts';
import { msUntilNextBackoffEnds, selectReadyTasks } from '../../lib/core/schedule/select-ready.ts';
import { blockDependents, listUnblockableTasks, requeueDoneDependents } from '../../lib/core/task/block-dependents.ts';
import { decideRetryAfterFailure } from '../../lib/core/task/retry-after-failure.ts';
import { listTasksToRebase, readStackState } from '../../lib/core/task/stack-state.ts';
import {
  claimTask,
  completeTask,
  failTask,
  recordRebaseOfTask,
  releaseTask,
} from '../../lib/core/task/task-attempt.ts';
import {
  applyVerdictToTask,
  dropTask,
  makeRequeuedTaskPending,
  markTaskMerged,
  requeueTask,
  retryTask,
  unblockTask,
} from '../../lib/core/task/task-outcome.ts';
import type { TaskChange } from '../../lib/core/task/task-state.ts';
import { parseAgentId } from '../../lib/domain/ids.ts';
import type { Changeset } from '../../lib/domain/state/changeset.ts';
import { findBlockingChangeset } from '../../lib/domain/state/changeset-facts.ts';
import { type BuiltOn, type Task, taskSchema } from '../../lib/domain/state/task-schema.ts';
import { globMatchesPath, locksConflict } from '../../lib/util/path-globs.ts';
import { makeRandom, type Random } from '../support/random.ts';
import { alterTask, makeFailure, makeOid, makeTask, makeVerdict, testTime } from '../support/tasks.ts';

const seeds = Array.from({ length: 120 }, (_, index) => index + 1);
const locks = ['src/', 'src/a.ts', 'src/b.ts', 'src/*.ts', 'docs/**', 'docs/x.md', 'lib/{a,b}.ts', 'lib/b.ts'] as const;
const samplePaths = ['src/a.ts', 'src/b.ts', 'src/deep/c.ts', 'docs/x.md', 'docs/deep/y.md', 'lib/a.ts', 'lib/b.ts'];

/** A whole run under invented agents, validators and persons, every step checked. */
class Run {
  readonly random: Random;
  readonly limit: number;
  readonly maxRetries: number;
  tasks: Task[];
  /** Of each task: the commit of each dependency its work was built on. */
  readonly ground = new Map<string, ReadonlyMap<string, string | null>>();
  /** How often finished work was put on work that was done again. */
  replays = 0;
  now = Date.parse(testTime);

  constructor(seed: number) {
    this.random = makeRandom(seed);
    this.limit = this.random.int(1, 4);
    this.maxRetries = this.random.int(0, 2);
    this.tasks = makeTasks(this.random);
  }

  get at(): string {
    return new Date(this.now).toISOString();
  }

  apply(...changes: readonly TaskChange[]): void {
    for (const { task, subject, transition } of changes) {
      const [from, to] = transition.split(' -> ');
      assert.ok(subject.startsWith(from === to ? `${task.id}: ` : `${task.id}: ${transition}`), subject);
      assert.ok(task.history.length <= 55);
      this.tasks = this.tasks.map((old) => (old.id === task.id ? task : old));
    }
  }

  cycle(): void {
    this.apply(...this.having('requeued').map((task) => makeRequeuedTaskPending(task)));
    this.work();
    this.validate();
    this.review();
    this.reconsider();
  }

  having(status: Task['status']): Task[] {
    return this.tasks.filter((task) => task.status === status);
  }

  work(): void {
    for (let steps = 0; ; steps += 1) {
      assert.ok(steps < 2_000, 'the wave never ends');
      this.apply(...this.selectChecked().map((task) => this.claim(task)));
      const running = this.having('claimed');
      if (running[0] !== undefined) {
        this.endAgent(this.random.pick([running[0], ...running.slice(1)]));
        this.replay();
        continue;
      }
      const wait = msUntilNextBackoffEnds(this.tasks, this.now);
      if (wait === null) break;
      assert.ok(wait > 0);
      this.now += wait;
    }
    // Nothing that could run was left: whatever still waits needs what isn't there.
    for (const task of this.having('pending')) assert.not.ok(this.hasGround(task), task.id);
  }

  selectChecked(): readonly Task[] {
    const running = this.having('claimed');
    const tasks = this.random.shuffle(this.tasks);
    const { selected, deferred } = selectReadyTasks({ tasks, running, limit: this.limit, now: this.now });
    const chains = computeChainLengths(this.having('pending'));
    const ready = this.having('pending')
      .filter((task) => this.hasGround(task) && !(Date.parse(task.not_before ?? '') > this.now))
      .sort((a, b) => a.priority - b.priority || waitersOf(b, chains) - waitersOf(a, chains) || byId(a, b));
    assert.equal([...selected, ...deferred.map(({ task }) => task)].sort(byId), [...ready].sort(byId));
    // Greedy and maximal: each is left out only for the limit or for what was taken before it.
    const taken = [...running];
    for (const task of ready) {
      const isTaken = selected.includes(task);
      const clashes = taken.some((other) => clash(task, other));
      assert.is(isTaken, taken.length < this.limit && !clashes, `${task.id} of ${ready.length}`);
      if (isTaken) taken.push(task);
    }
    for (const path of samplePaths) {
      const writers = taken.filter((task) => task.file_locks.some((lock) => globMatchesPath(lock, path)));
      assert.ok(writers.length <= 1, `${path} has ${writers.length} writers`);
    }
    return selected;
  }

  hasGround(task: Task): boolean {
    return task.dependencies.every((id) => {
      const need = this.find(id);
      return need.status === 'merged' || (need.status === 'done' && this.hasGround(need));
    });
  }

  /** What stands on work that was done again is put on that, from below; what has to wait is left alone. */
  replay(): void {
    for (;;) {
      const [task] = sortTasksByDependency(listTasksToRebase(this.random.shuffle(this.tasks)));
      if (task === undefined) return;
      assert.ok(this.hasGround(task), `${task.id} waits`);
      this.replays += 1;
      const commit = makeOid(`${task.id}${task.history.length}on${this.replays}`);
      const start = makeOid('base');
      this.ground.set(task.id, this.groundOf(task));
      const without = readStackState(this.tasks).lost(task);
      this.apply(recordRebaseOfTask(task, { commit, start, builtOn: this.builtOn(task), without, at: this.at }));
    }
  }

  groundOf(task: Task): ReadonlyMap<string, string | null> {
    return new Map(task.dependencies.map((id) => [id, this.find(id).commit]));
  }

  builtOn(task: Task): BuiltOn {
    return task.dependencies.flatMap((id) => {
      const { status, commit } = this.find(id);
      return status === 'done' ? [{ task: id, commit }] : [];
    }) as BuiltOn;
  }

  find(id: string): Task {
    return this.tasks.find((task) => task.id === id)!;
  }

  claim(task: Task): TaskChange {
    const agentId = parseAgentId(`worker-${this.random.int(0, 0xffff).toString(16).padStart(8, '0')}`);
    return claimTask(task, { agentId, worktree: `.trees/${agentId}`, at: this.at, claimedBy: 'Lea' });
  }

  endAgent(task: Task): void {
    this.now += this.random.int(0, 5_000);
    const end = { at: this.at, cost: 0.25, tokens: 10 };
    const fate = this.random.next();
    if (fate < 0.6) {
      const commit = makeOid(`${task.id}${task.history.length}`);
      this.ground.set(task.id, this.groundOf(task));
      // What a person hands in may not say what it stands on.
      const builtOn = this.random.chance(0.8) ? this.builtOn(task) : [];
      const work = {
        commit,
        builtOn,
        start: makeOid('base'),
        branch: `blueflame/${task.id}`,
        notes: 'ok',
        ...end,
      };
      this.apply(completeTask(task, work));
    } else if (fate < 0.65) {
      this.apply(releaseTask(task, { reason: 'stopped', ...end }));
    } else {
      this.fail(task, end, fate < 0.9, fate > 0.75 && fate < 0.8);
    }
  }

  fail(task: Task, end: { at: string; cost: number; tokens: number }, retryable: boolean, isLimit: boolean): void {
    const failure = makeFailure({ retryable, kind: isLimit ? 'rate-limit' : 'agent-crashed' });
    this.apply(failTask(task, { failure, ...end }));
    const failed = this.find(task.id);
    const next = decideRetryAfterFailure(failed, failure, {
      maxRetries: this.maxRetries,
      now: this.now,
      jitter: this.random.next(),
    });
    if (next.kind === 'retry') {
      this.apply(retryTask(failed, { ...next, at: this.at }));
      assert.ok(this.find(task.id).retry_count <= this.maxRetries);
    } else {
      assert.ok(!retryable || task.retry_count === this.maxRetries);
      this.loseChecked(failed);
    }
  }

  /** A task is lost: exactly what waits and needs it, however far, is blocked. */
  loseChecked(lost: Task): void {
    this.restartChecked(lost);
    const changes = blockDependents(this.random.shuffle(this.tasks), lost.id, 'lost');
    const expected = this.tasks.filter(
      (task) => ['pending', 'requeued'].includes(task.status) && task.id !== lost.id && this.needs(task, lost.id),
    );
    assert.equal(
      changes.map(({ task }) => task.id),
      expected.sort(byId).map(({ id }) => id),
    );
    this.apply(...changes);
    assert.equal(listUnblockableTasks(this.tasks), []);
  }

  /** A task is no longer done: the done work on it begins again, but for what says that it stands on it. */
  restartChecked(changed: Task): void {
    const changes = requeueDoneDependents(this.random.shuffle(this.tasks), changed.id, { at: this.at });
    const isRedone = this.find(changed.id).status === 'requeued';
    const above = this.having('done').filter((task) => this.needs(task, changed.id));
    const affected = new Set<string>([changed.id, ...above.map(({ id }) => id)]);
    const isKept = ({ dependencies, built_on: builtOn = [] }: Task): boolean =>
      dependencies.every((id) => !affected.has(id) || builtOn.some(({ task }) => task === id));
    const expected = above.filter((task) => !isRedone || !isKept(task));
    assert.equal(
      changes.map(({ task }) => task.id),
      expected.sort(byId).map(({ id }) => id),
    );
    this.apply(...changes);
  }

  needs(task: Task, id: string): boolean {
    return task.status !== 'merged' && task.dependencies.some((need) => need === id || this.needs(this.find(need), id));
  }

  validate(): void {
    const order = listTasksToValidate(this.random.shuffle(this.tasks));
    const unjudged = this.having('done').filter(({ result }) => result.status === null);
    assert.equal([...order].sort(byId), unjudged.sort(byId));
    for (const task of order) {
      if (this.find(task.id).status !== 'done' || !this.hasGround(task)) continue;
      if (this.random.chance(0.05)) {
        this.fail(task, { at: this.at, cost: 0, tokens: 0 }, false, false);
        continue;
      }
      const verdict = makeVerdict(task, this.random.chance(0.8) ? 'pass' : 'fail');
      this.apply(applyVerdictToTask(task, verdict));
      if (verdict.status === 'pass') continue;
      if (this.random.chance(0.8)) {
        const judged = this.find(task.id);
        this.apply(requeueTask(judged, { kind: 'validation_failed', notes: 'again', at: this.at }));
        this.restartChecked(task);
      } else {
        this.apply(dropTask(this.find(task.id), { reason: 'hopeless' }));
        this.loseChecked(this.find(task.id));
      }
    }
  }

  review(): void {
    const before = this.tasks;
    const { changesets, waiting } = listChangesetsToBuild(this.random.shuffle(before));
    assert.equal(listChangesetsToBuild(this.tasks), { changesets, waiting });
    const passed = this.having('done').filter(({ result }) => result.status === 'pass');
    const shown = changesets.flatMap(({ tasks }) => tasks);
    assert.equal([...shown, ...waiting.map(({ task }) => task)].sort(byId), passed.sort(byId));
    const decisions = new Map<string, Changeset['state']>();
    for (const { group, tasks, missing, dependsOn } of changesets) {
      assert.ok(
        dependsOn.every((needed) => decisions.has(needed)),
        `${group} before ${dependsOn}`,
      );
      const names = new Set<string>(tasks.map(({ cohesion_group }) => cohesion_group));
      assert.is([...names].sort().join('+'), group);
      const open = before.filter((task) => names.has(task.cohesion_group) && !shown.includes(task));
      const expected = open.filter(({ status }) => status !== 'merged' && status !== 'dropped');
      assert.equal([...missing].sort(byId), expected.sort(byId));
      this.decide(group, tasks, dependsOn, decisions, changesets);
    }
  }

  decide(
    group: string,
    tasks: readonly Task[],
    dependsOn: readonly string[],
    decisions: Map<string, Changeset['state']>,
    groups: readonly { readonly group: string }[],
  ): void {
    const mustWait = dependsOn.some((needed) => decisions.get(needed) !== 'landed');
    const states = groups.map((one) => ({
      id: one.group,
      group: one.group,
      state: decisions.get(one.group) ?? ('waiting' as const),
    }));
    const blocker = findBlockingChangeset(states, { id: group, depends_on: [...dependsOn] });
    assert.is(blocker !== null, mustWait);
    assert.is.not(blocker?.state, 'waiting', 'what a group depends on is decided before it');
    const decision = mustWait
      ? 'deferred'
      : this.random.pick<Changeset['state']>(['landed', 'landed', 'rejected', 'skipped']);
    decisions.set(group, decision);
    for (const task of tasks) {
      if (decision === 'landed') {
        // Everything a landed task needs is on the base before it.
        assert.ok(
          task.dependencies.every((id) => this.find(id).status === 'merged'),
          task.id,
        );
        // And is what it was built on: no refused commit comes along.
        for (const id of task.dependencies) {
          assert.is(this.ground.get(task.id)?.get(id), this.find(id).commit, `${task.id} on ${id}`);
        }
        this.apply(markTaskMerged(task, { into: 'main' }));
      } else if (decision === 'rejected') {
        this.apply(requeueTask(task, { kind: 'rejected', reason: 'not like this', at: this.at }));
      }
    }
    if (decision === 'rejected') for (const task of tasks) this.restartChecked(task);
  }

  /** A person gives some failed tasks another chance. */
  reconsider(): void {
    for (const task of this.having('failed')) {
      if (this.random.chance(0.5)) {
        this.apply(requeueTask(task, { kind: 'restart', notes: 'once more', at: this.at }));
      }
    }
    const free = listUnblockableTasks(this.random.shuffle(this.tasks));
    this.apply(...free.map((task) => unblockTask(task)));
    const lost = this.tasks.filter(({ status }) => status === 'failed' || status === 'dropped');
    for (const task of this.having('blocked')) {
      assert.ok(
        lost.some(({ id }) => this.needs(task, id)),
        `${task.id} is blocked by nothing`,
      );
    }
    for (const task of free) assert.not.ok(lost.some(({ id }) => this.needs(task, id)));
  }
}

test('whole runs: no dependency or lock is violated, nothing is left out, every order is a legal one', () => {
  const ends = new Map<string, number>();
  let replays = 0;
  for (const seed of seeds) {
    const run = new Run(seed);
    try {
      for (let cycle = 0; cycle < 4; cycle += 1) run.cycle();
    } catch (error) {
      throw new Error(`seed ${seed}: ${error instanceof Error ? error.message : String(error)}`, {
        cause: error,
      });
    }
    replays += run.replays;
    for (const task of run.tasks) {
      taskSchema.parse(task);
      ends.set(task.status, (ends.get(task.status) ?? 0) + 1);
    }
  }
  // The runs reach what they are there to check.
  assert.ok(replays > 50, `${replays} works were put on others`);
  for (const status of ['merged', 'failed', 'blocked', 'dropped', 'requeued']) {
    assert.ok((ends.get(status) ?? 0) > 10, `${status}: ${ends.get(status)}`);
  }
});

test('a run is a function of its seed', () => {
  for (const seed of seeds.slice(0, 20)) {
    const [first, second] = [new Run(seed), new Run(seed)];
    for (const run of [first, second]) for (let cycle = 0; cycle < 3; cycle += 1) run.cycle();
    assert.equal(first.tasks, second.tasks);
  }
});

test('SCH-4 unblocking is the inverse of blocking', () => {
  for (const seed of seeds) {
    const random = makeRandom(seed);
    const tasks = makeTasks(random).map((task) =>
      alterTask(task, { status: random.pick(['pending', 'pending', 'requeued', 'done', 'merged'] as const) }),
    );
    const lost = random.pick([tasks[0]!, ...tasks.slice(1)]);
    const failed = tasks.map((task) => (task === lost ? alterTask(task, { status: 'failed' }) : task));
    const changes = blockDependents(failed, lost.id, 'x');
    const changed = new Map(changes.map(({ task }) => [task.id, task]));
    const blocked = failed.map((task) => changed.get(task.id) ?? task);
    assert.equal(listUnblockableTasks(blocked), [], `seed ${seed}`);
    assert.equal(blockDependents(blocked, lost.id, 'x'), []);
    const requeued = blocked.map((task) => (task.id === lost.id ? alterTask(task, { status: 'requeued' }) : task));
    assert.equal(
      listUnblockableTasks(random.shuffle(requeued)).map(({ id }) => id),
      [...changed.keys()],
      `seed ${seed}`,
    );
  }
});

test('PLN-5 shown waves hold every task once, after its dependencies, without clashes, within the limit', () => {
  for (const seed of seeds) {
    const random = makeRandom(seed);
    const tasks = makeTasks(random);
    const limit = random.int(1, 4);
    const waves = predictTaskBatches(tasks, limit);
    assert.equal(predictTaskBatches(random.shuffle(tasks), limit), waves);
    assert.equal(waves.flat().sort(), tasks.map(({ id }) => id as string).sort());
    const before = new Set<string>();
    for (const wave of waves) {
      const members = wave.map((id) => tasks.find((task) => task.id === id)!);
      assert.ok(members.length <= limit);
      assert.ok(members.every((task) => task.dependencies.every((id) => before.has(id))));
      assert.not.ok(members.some((task) => members.some((other) => task !== other && clash(task, other))));
      for (const id of wave) before.add(id);
    }
  }
});

function makeTasks(random: Random): Task[] {
  const names = Array.from({ length: random.int(1, 12) }, (_, index) => `task-${String(index).padStart(3, '0')}`);
  // Dependencies point back in a shuffled order, so that ids say nothing about them.
  const order = random.shuffle(names);
  return order.map((id, index) =>
    makeTask(id, {
      priority: random.int(1, 4),
      cohesion_group: random.pick(['api', 'auth', 'docs', 'ui']),
      dependencies: order.slice(0, index).filter(() => random.chance(0.2)),
      file_locks: random.shuffle(locks).slice(0, random.int(1, 2)),
    }),
  );
}

function clash(a: Task, b: Task): boolean {
  return a.file_locks.some((left) => b.file_locks.some((right) => locksConflict(left, right)));
}

function waitersOf({ id }: Task, chains: ReadonlyMap<string, number>): number {
  return chains.get(id) ?? 0;
}

function byId(a: Task, b: Task): number {
  return a.id < b.id ? -1 : 1;
}

test.run();
