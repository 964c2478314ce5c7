import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { FlameError } from '../../../lib/domain/flame-error.ts';
import type { ChangesetDecision, ChangesetQuestion } from '../../../lib/domain/ports/changeset-question.ts';
import { viewSession } from '../../../lib/engine/record-changes.ts';
import { openStack, runStack, type StackBench, type StackTask } from '../../support/stack.ts';
import { closeWorkshops } from '../../support/workshop.ts';

// DSK-2: one task of a changeset goes back, the others of it go on.

test.after(closeWorkshops);

const back: ChangesetDecision = { kind: 'reject', reason: 'Wrong salt.', tasks: ['b'] };

/** Tasks of one group, each with a file of its own. */
function openGroup(options: {
  readonly tasks?: readonly StackTask[];
  readonly decide: (question: ChangesetQuestion, asked: number) => ChangesetDecision | undefined;
  readonly cycles?: boolean;
}): Promise<StackBench> {
  const { tasks = ['a', 'b', 'c'].map((id) => ({ id, group: 'auth', locks: [`docs/${id}`] })) } = options;
  let asked = 0;
  return openStack({
    tasks,
    agent: ({ task, role, worktree }, attempt) => {
      if (role === 'worker' && task !== null) writeFileSync(join(worktree.path, 'docs', task), `${task} ${attempt}\n`);
      return {};
    },
    files: { 'docs/readme': 'text\n' },
    decide: (_, question) => options.decide(question, ++asked),
    ...(options.cycles === true ? { gates: { session: async () => ({ kind: 'continue' }) } } : {}),
  });
}

async function changesets(bench: StackBench): Promise<readonly (readonly string[])[]> {
  const { session } = await viewSession(bench.context, bench.session);
  return session.changesets.map(({ id, state, tasks }) => [id, state, tasks.join(' ')]);
}

function landed({ repo }: StackBench): readonly string[] {
  return repo.git('ls-tree', '--name-only', 'main:docs').split('\n');
}

test('DSK-2 the others of a changeset land without the task that went back', async () => {
  const bench = await openGroup({ decide: (_, asked) => (asked === 1 ? back : undefined) });
  await runStack(bench);
  assert.equal(await changesets(bench), [
    ['1-auth', 'rejected', 'a b c'],
    ['1-auth-2', 'landed', 'a c'],
  ]);
  assert.equal(landed(bench), ['a', 'c', 'readme']);
  const b = await bench.task('b');
  assert.equal([b.status, b.history.at(-1)?.rejection_reason], ['requeued', 'Wrong salt.']);
  const { session } = await viewSession(bench.context, bench.session);
  const [first] = session.changesets;
  assert.equal([first?.rejected_tasks, first?.reason], [['b'], 'b: Wrong salt.']);
  assert.equal(
    session.gates.filter(({ gate }) => gate.startsWith('changeset')).map(({ gate, decision }) => [gate, decision]),
    [
      ['changeset 1-auth', 'reject b'],
      ['changeset 1-auth-2', 'approve'],
    ],
  );
  // No agent was paid for it, and what is asked next shows that nothing else changed.
  assert.is(bench.started.filter(({ role }) => role === 'worker').length, 3);
  const since = bench.asked[1]?.since;
  assert.equal(since?.diffstat, { files: 1, insertions: 0, deletions: 1 });
});

test('DSK-2 the task that went back comes again in the next cycle, on what landed', async () => {
  const bench = await openGroup({ decide: (_, asked) => (asked === 1 ? back : undefined), cycles: true });
  await runStack(bench);
  assert.equal(await changesets(bench), [
    ['1-auth', 'rejected', 'a b c'],
    ['1-auth-2', 'landed', 'a c'],
    ['2-auth', 'landed', 'b'],
  ]);
  assert.is(bench.repo.git('show', 'main:docs/b'), 'b 2');
});

test('DSK-2 what was built on the whole is built again on the rest', async () => {
  const tasks = [
    { id: 'a', group: 'auth', locks: ['docs/a'] },
    { id: 'b', group: 'auth', locks: ['docs/b'] },
    { id: 'ui', group: 'ui', locks: ['docs/ui'], needs: ['a'] },
  ];
  const bench = await openGroup({ tasks, decide: (_, asked) => (asked === 1 ? back : undefined) });
  await runStack(bench);
  assert.equal(
    bench.asked.map(({ changeset: { id, tasks: ids, depends_on: on } }) => [id, ids, on]),
    [
      ['1-auth', ['a', 'b'], []],
      ['1-auth-2', ['a'], []],
      ['1-ui', ['ui'], ['auth']],
    ],
  );
  assert.equal(landed(bench), ['a', 'readme', 'ui']);
});

test('DSK-2 what needs the task that went back waits for it, what was only built on it is put on what remains', async () => {
  const tasks = [
    { id: 'a', group: 'auth', locks: ['docs/a'] },
    { id: 'b', group: 'auth', locks: ['docs/b'] },
    { id: 'c', group: 'auth', locks: ['docs/c'], needs: ['b'] },
    { id: 'd', group: 'auth', locks: ['docs/b', 'docs/d'], priority: 9 },
  ];
  const above: unknown[] = [];
  const bench = await openGroup({
    tasks,
    decide: (_, asked) => (asked === 1 ? back : undefined),
  });
  const context = {
    ...bench.context,
    gates: {
      ...bench.context.gates,
      changeset: async (question: ChangesetQuestion) => {
        if (above.length === 0)
          above.push(...((await question.onTop?.('1-auth', ['b'])) ?? []).map(({ task, outcome }) => [task, outcome]));
        return bench.context.gates.changeset(question);
      },
    },
  };
  await runStack({ ...bench, context });
  assert.equal(above, [
    ['c', 'waits'],
    ['d', 'stands'],
  ]);
  assert.equal(landed(bench), ['a', 'd', 'readme']);
  const statuses = (await bench.tasks()).map(({ id, status }) => `${id} ${status}`);
  assert.equal(statuses, ['a merged', 'b requeued', 'c done', 'd merged']);
});

test('DSK-2 all tasks named are the whole changeset, and a task of another one is none of it', async () => {
  const all = await openGroup({ decide: () => ({ ...back, tasks: ['c', 'a', 'b'] }) });
  await runStack(all);
  assert.equal(await changesets(all), [['1-auth', 'rejected', 'a b c']]);
  for (const tasks of [['z'], [], ['b', 'z']]) {
    const bench = await openGroup({ decide: () => ({ ...back, tasks }) });
    const error = await runStack(bench).catch((caught: unknown) => caught);
    assert.is(error instanceof FlameError ? error.code : error, 'not-in-changeset', String(tasks));
    assert.equal(await changesets(bench), [['1-auth', 'waiting', 'a b c']]);
  }
});

test('DSK-2 comments go to the task that went back', async () => {
  const comments = [{ path: 'docs/b', side: 'new' as const, line: 1, text: 'here' }];
  const bench = await openGroup({
    decide: (_, asked) => (asked === 1 ? { ...back, comments } : undefined),
  });
  await runStack(bench);
  assert.equal(
    (await bench.task('b')).history.at(-1)?.comments?.map(({ text, excerpt }) => [text, excerpt]),
    [['here', '> 1 | b 1']],
  );
});

test.run();
