import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { checkPlan, type PlanRules } from '../../../lib/core/schedule/check-plan.ts';
import { type Plan, planSchema } from '../../../lib/domain/state/plan-schema.ts';
import { makeRandom } from '../../support/random.ts';

const rules: PlanRules = {
  allowedPaths: ['src/**', 'docs/**', 'package.json'],
  refuseLock: (lock) => (lock.startsWith('src/vendor') ? 'is not for agents' : null),
};

interface Sketch {
  readonly id: string;
  readonly dependencies?: readonly string[];
  readonly file_locks?: readonly string[];
  readonly model?: string;
}

function makePlan(...sketches: readonly Sketch[]): Plan {
  return planSchema.parse({
    tasks: sketches.map((sketch) => ({
      title: 'Title',
      description: 'Words',
      file_locks: [`src/${sketch.id}.ts`],
      ...sketch,
    })),
  });
}

function check(plan: Plan, more: Partial<PlanRules> = {}): string[] {
  return checkPlan(plan, { ...rules, ...more }).map(({ task, message }) => `${task}: ${message}`);
}

test('PLN-4 a sound plan has no problem', () => {
  const plan = makePlan(
    { id: 'a', file_locks: ['src/', 'docs/*.md'] },
    { id: 'b', dependencies: ['a'], file_locks: ['package.json', 'src/**/test-*.ts'] },
  );
  assert.equal(check(plan), []);
});

test('PLN-6 an empty plan is fine', () => {
  assert.equal(check(makePlan()), []);
});

test('PLN-4 repeated ids, unknown dependencies and self-dependency', () => {
  const plan = makePlan({ id: 'b', dependencies: ['nowhere', 'b'] }, { id: 'a' }, { id: 'a', dependencies: ['b'] });
  assert.equal(check(plan), [
    'a: the id is used 2 times',
    'b: depends on itself',
    "b: depends on nowhere, which doesn't exist",
  ]);
});

test('PLN-4 a misspelt dependency is answered with the nearest id, another number is not', () => {
  const plan = makePlan({ id: 'task-001' }, { id: 'task-002', dependencies: ['tsk-001', 'task-009'] });
  assert.equal(check(plan), [
    "task-002: depends on task-009, which doesn't exist",
    "task-002: depends on tsk-001, which doesn't exist; did you mean task-001?",
  ]);
});

test('PLN-4 every cycle is printed, as a way from a task back to itself', () => {
  const plan = makePlan(
    { id: 'b', dependencies: ['a'] },
    { id: 'a', dependencies: ['b', 'free'] },
    { id: 'free' },
    { id: 'behind', dependencies: ['x'] },
    { id: 'z', dependencies: ['x'] },
    { id: 'y', dependencies: ['z'] },
    { id: 'x', dependencies: ['y'] },
  );
  assert.equal(check(plan), ['a: dependency cycle: a -> b -> a', 'x: dependency cycle: x -> y -> z -> x']);
});

test('a chain of a thousand tasks is no cycle, closed it is one', () => {
  const names = Array.from({ length: 1_000 }, (_, index) => `task-${String(index).padStart(4, '0')}`);
  const chain = names.map((id, index) => ({ id, dependencies: names.slice(Math.max(0, index - 1), index) }));
  assert.equal(check(makePlan(...chain)), []);
  const closed = chain.map((task, index) => (index === 0 ? { ...task, dependencies: ['task-0999'] } : task));
  const [problem, ...more] = check(makePlan(...closed));
  assert.equal(more, []);
  assert.match(problem ?? '', /^task-0000: dependency cycle: task-0000 -> task-0999 -> task-0998 /);
});

test('PLN-4 locks: some, inside allowed_paths, and none that the policy refuses', () => {
  const plan = makePlan({ id: 'a', file_locks: [] }, { id: 'b', file_locks: ['lib/x.ts', 'src/vendor/', '**', 'src'] });
  assert.equal(check(plan), [
    'a: has no file_locks, so it could change no file',
    'b: file lock ** is not inside allowed_paths',
    'b: file lock lib/x.ts is not inside allowed_paths',
    'b: file lock src/vendor/ is not for agents',
  ]);
});

test('PLN-4 locks must be relative and stay in the repository', () => {
  const file_locks = ['/etc/passwd', '~/x', 'C:/x', 'src/../../x', 'src\\a.ts'];
  assert.equal(check(makePlan({ id: 'a', file_locks }), { allowedPaths: ['**'] }), [
    'a: file lock /etc/passwd must be relative to the top of the repository',
    'a: file lock C:/x must be relative to the top of the repository',
    'a: file lock src/../../x must not contain ..',
    'a: file lock src\\a.ts must have / between names',
    'a: file lock ~/x must be relative to the top of the repository',
  ]);
});

test('names that only look dangerous are fine', () => {
  const file_locks = ['src/..hidden', 'src/.gitignore', 'src/a..b.ts', 'src/[id]/page.ts', 'src/git/'];
  assert.equal(check(makePlan({ id: 'a', file_locks })), []);
});

test('new tasks may need those of the session, but not take their ids', () => {
  const plan = makePlan({ id: 'old-1' }, { id: 'new-1', dependencies: ['old-2'] });
  assert.equal(check(plan, { existing: ['old-1', 'old-2'] }), ['old-1: the session already has a task with this id']);
});

test('the same problems in the same order, however the plan is written', () => {
  const sketches: Sketch[] = [
    { id: 'a', dependencies: ['b', 'nowhere'], file_locks: ['lib/', '/x', 'src/'] },
    { id: 'b', dependencies: ['c', 'a'] },
    { id: 'c', dependencies: ['a', 'b'], file_locks: [] },
    { id: 'd', dependencies: ['d', 'c', 'gone'] },
  ];
  const expected = check(makePlan(...sketches));
  for (let seed = 1; seed <= 50; seed += 1) {
    const random = makeRandom(seed);
    const shuffled = random.shuffle(sketches).map((sketch) => ({
      ...sketch,
      dependencies: random.shuffle(sketch.dependencies ?? []),
      file_locks: random.shuffle(sketch.file_locks ?? [`src/${sketch.id}.ts`]),
    }));
    assert.equal(check(makePlan(...shuffled)), expected);
  }
});

test.run();
