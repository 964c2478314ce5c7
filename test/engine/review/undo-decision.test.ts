import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { FlameError } from '../../../lib/domain/flame-error.ts';
import { parseObjectId } from '../../../lib/domain/ids.ts';
import type { ChangesetDecision, ChangesetQuestion } from '../../../lib/domain/ports/changeset-question.ts';
import type { Gates } from '../../../lib/domain/ports/gates.ts';
import type { TrustedStore } from '../../../lib/domain/ports/store-port.ts';
import type { Task } from '../../../lib/domain/state/task-schema.ts';
import { viewSession } from '../../../lib/engine/record-changes.ts';
import { undoChangesetDecision } from '../../../lib/engine/review/undo-changeset-decision.ts';
import { openStack, runStack, type StackBench, type StackTask } from '../../support/stack.ts';
import { alterTask } from '../../support/tasks.ts';
import { closeWorkshops } from '../../support/workshop.ts';

// DSK-2: what a person decided is taken back until something of it lands.

test.after(closeWorkshops);

type Answer = (question: ChangesetQuestion, asked: number) => Promise<ChangesetDecision> | ChangesetDecision;

/** Each task writes a file of its own; the person answers by `answer`, question by question. */
async function open(answer: Answer, tasks: readonly StackTask[] = apart): Promise<StackBench> {
  const asked: ChangesetQuestion[] = [];
  const bench = await openStack({
    tasks,
    agent: ({ task, role, worktree }, attempt) => {
      if (role === 'worker' && task !== null) writeFileSync(join(worktree.path, 'docs', task), `${task} ${attempt}\n`);
      return {};
    },
    files: { 'docs/readme': 'text\n' },
    gates: {
      changeset: async (question) => {
        asked.push(question);
        return answer(question, asked.length);
      },
    },
  });
  return { ...bench, asked };
}

const apart = ['a', 'b'].map((id) => ({ id, locks: [`docs/${id}`] }));
const approve: ChangesetDecision = { kind: 'approve' };
const reject: ChangesetDecision = { kind: 'reject', reason: 'Not so.' };

async function states(bench: StackBench): Promise<readonly string[]> {
  const { session } = await viewSession(bench.context, bench.session);
  return session.changesets.map(({ id, state }) => `${id} ${state}`);
}

async function gateLog(bench: StackBench): Promise<readonly string[]> {
  const { session } = await viewSession(bench.context, bench.session);
  return session.gates
    .filter(({ gate }) => gate.startsWith('changeset'))
    .map(({ gate, decision }) => `${gate.slice('changeset '.length)} ${decision}`);
}

function codeOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => 'none',
    (error: unknown) => (error instanceof FlameError ? error.code : error),
  );
}

/** A note without what each change of it moves on. */
function facts({ rev: _, updated_at: __, ...task }: Task): unknown {
  return task;
}

/** Takes back what was decided about the first changeset once the second is asked about. */
function undoing(first: ChangesetDecision): Answer {
  return async (question, asked) => {
    if (asked === 1) return { ...first, ...{ where: 'board' } };
    if (asked > 2) return approve;
    assert.equal(
      (await question.undoable?.())?.map(({ id }) => id),
      ['1-a'],
    );
    await question.takeBack?.('1-a', 'terminal');
    return { kind: 'again' };
  };
}

for (const first of [approve, reject, { kind: 'skip' } as const])
  test(`DSK-2 ${first.kind} is taken back: it is asked about again, first, and nothing of it stays but the record`, async () => {
    let before: Task | undefined;
    const answer = undoing(first);
    const bench = await open(async (question, asked) => {
      if (asked === 1) before = question.tasks[0];
      if (asked === 3) assert.equal(facts(await bench.task('a')), before === undefined ? null : facts(before));
      return answer(question, asked);
    });
    await runStack(bench);
    assert.equal(
      bench.asked.map(({ changeset }) => changeset.id),
      ['1-a', '1-b', '1-a', '1-b'],
    );
    assert.equal(await states(bench), ['1-a landed', '1-b landed']);
    assert.equal(await gateLog(bench), [`1-a ${first.kind}`, '1-a taken back', '1-a approve', '1-b approve']);
    const places = (await viewSession(bench.context, bench.session)).session.gates.flatMap(({ where }) => where ?? []);
    assert.equal(places, ['board', 'terminal']);
    assert.is(bench.started.filter(({ role }) => role === 'worker').length, 2);
    const undone = bench.events.filter(({ event }) => event === 'decision-undone');
    const was = { approve: 'approved', reject: 'rejected', skip: 'skipped' }[first.kind as 'skip'];
    assert.equal(undone, [{ event: 'decision-undone', changeset: '1-a', was }]);
  });

test('DSK-2 an answer takes a decision back; where that is too late it is said, and the review goes on', async () => {
  const bench = await open(async (_, asked) => {
    if (asked === 2) return { kind: 'undo', changeset: '1-a' };
    // It waits already.
    if (asked === 3) return { kind: 'undo', changeset: '1-a' };
    return approve;
  });
  await runStack(bench);
  assert.equal(
    bench.asked.map(({ changeset }) => changeset.id),
    ['1-a', '1-b', '1-a', '1-a', '1-b'],
  );
  assert.equal(await gateLog(bench), ['1-a approve', '1-a taken back', '1-a approve', '1-b approve']);
  const said = bench.events.flatMap((event) => (event.event === 'notice' ? [event.message] : []));
  assert.equal(said.filter((message) => message.includes('it has no decision yet')).length, 1);
});

test('DSK-2 what was put off by a rejection waits again with it', async () => {
  const tasks = [
    { id: 'a', locks: ['docs/a'] },
    { id: 'b', locks: ['docs/b'], needs: ['a'] },
    { id: 'c', locks: ['docs/c'] },
  ];
  const bench = await open(async (question, asked) => {
    if (asked === 1) return reject;
    if (asked > 2) return approve;
    assert.is(question.changeset.id, '1-c');
    await question.takeBack?.('a', 'terminal');
    return { kind: 'again' };
  }, tasks);
  await runStack(bench);
  const landed = (await states(bench)).filter((one) => one.endsWith('landed'));
  assert.equal([...landed].sort(), ['1-a landed', '1-b landed', '1-c landed']);
  assert.is(bench.started.filter(({ role }) => role === 'worker').length, 3);
});

test('DSK-2 of a rejection in part the whole waits again, and what was built of the rest is gone', async () => {
  const tasks = ['a', 'b', 'c'].map((id) => ({ id, group: 'auth', locks: [`docs/${id}`] }));
  const bench = await open(async (question, asked) => {
    if (asked === 1) return { ...reject, tasks: ['b'] };
    if (asked > 2) return approve;
    assert.is(question.changeset.id, '1-auth-2');
    await question.takeBack?.('1-auth', 'terminal');
    return { kind: 'again' };
  }, tasks);
  await runStack(bench);
  assert.equal(await states(bench), ['1-auth landed', '1-auth-2 void']);
  assert.equal(bench.asked[2]?.changeset.tasks, ['a', 'b', 'c']);
  assert.equal(bench.asked[2]?.changeset.rejected_tasks, undefined);
  assert.is((await bench.task('b')).status, 'merged');
});

test('DSK-2 after others have landed a rejection is taken back as long as nothing was done about it', async () => {
  const bench = await open((question) => (question.changeset.group === 'a' ? reject : approve));
  await runStack(bench);
  assert.equal(await states(bench), ['1-a rejected', '1-b landed']);
  await undoChangesetDecision(bench.context, bench.session, 'a');
  assert.equal(await states(bench), ['1-a waiting', '1-b landed']);
  const context = { ...bench.context, gates: { ...bench.context.gates, changeset: async () => approve } };
  await runStack({ ...bench, context });
  assert.equal(await states(bench), ['1-a landed', '1-b landed']);
  assert.equal(bench.repo.git('ls-tree', '--name-only', 'main:docs').split('\n'), ['a', 'b', 'readme']);
});

test('DSK-2 at the end of a cycle a rejection is taken back before another one begins', async () => {
  let ends = 0;
  const bench = await open((_, asked) => (asked === 1 ? reject : approve));
  const gates: Gates = {
    ...bench.context.gates,
    session: async ({ undoable }) => {
      ends += 1;
      assert.equal(
        undoable?.map(({ id }) => id),
        ['1-a'],
      );
      return { kind: 'undo', changeset: '1-a' };
    },
  };
  await runStack({ ...bench, context: { ...bench.context, gates } });
  assert.equal([ends, await states(bench)], [1, ['1-a landed', '1-b landed']]);
});

test('DSK-2 what has landed, was not decided, or has gone on since stays as it is', async () => {
  const bench = await open((question) => (question.changeset.group === 'a' ? reject : approve));
  await runStack(bench);
  const undo = (name: string): Promise<unknown> => codeOf(undoChangesetDecision(bench.context, bench.session, name));
  assert.is(await undo('b'), 'not-undoable');
  assert.is(await undo('nope'), 'no-changeset');
  await undoChangesetDecision(bench.context, bench.session, '1-a');
  assert.is(await undo('a'), 'not-undoable');
  const again = {
    ...bench.context,
    gates: { ...bench.context.gates, session: async () => ({ kind: 'continue' }) as const },
  };
  let asked = 0;
  const gates = {
    ...again.gates,
    changeset: async () => (++asked === 1 ? reject : { kind: 'skip' as const }),
  };
  await runStack({ ...bench, context: { ...again, gates } });
  // Its next attempt has begun, in the next cycle.
  assert.equal(await undo('1-a'), 'no-changeset');
  assert.ok(['done', 'requeued'].includes((await bench.task('a')).status));
});

test('DSK-2 of a rejection in part whose rest has landed nothing is taken back', async () => {
  const tasks = ['a', 'b'].map((id) => ({ id, group: 'auth', locks: [`docs/${id}`] }));
  const bench = await open((_, asked) => (asked === 1 ? { ...reject, tasks: ['b'] } : approve), tasks);
  await runStack(bench);
  assert.equal(await states(bench), ['1-auth rejected', '1-auth-2 landed']);
  assert.is(await codeOf(undoChangesetDecision(bench.context, bench.session, '1-auth')), 'not-undoable');
  assert.is((await bench.task('b')).status, 'requeued');
});

test('DSK-2 a task that was edited since it was sent back is not put back over the edit', async () => {
  const bench = await open((question) => (question.changeset.group === 'a' ? reject : approve));
  await runStack(bench);
  const task = await bench.task('a');
  await bench.said.transact(() => ({
    changes: [{ subject: 'task-001: edited', tasks: [{ ...task, title: 'Another title' }] }],
    actor: 'Lea Lead',
  }));
  assert.is(await codeOf(undoChangesetDecision(bench.context, bench.session, 'a')), 'changed-meanwhile');
});

/** A version of the rejected task beside its own line, as a push brings one; then the rejection is taken back. */
async function undoneBeside(forge: (former: Task) => Task): Promise<{ readonly code: unknown; readonly task: Task }> {
  const bench = await open((question) => (question.changeset.group === 'a' ? reject : approve));
  await runStack(bench);
  const task = await bench.task('a');
  const store: TrustedStore = {
    ...bench.context.store,
    readFormerTask: async (asked) => {
      const former = await bench.context.store.readFormerTask(asked);
      return former === null ? null : forge(former);
    },
  };
  assert.is(task.status, 'requeued');
  const code = await codeOf(undoChangesetDecision({ ...bench.context, store }, bench.session, 'a'));
  return { code, task: await bench.task('a') };
}

test('DSK-2 a version from a side line brings no plan of its own when a rejection is taken back', async () => {
  const planned = await undoneBeside((former) => ({
    ...former,
    ...{ title: 'Another title', file_locks: ['.github/**'], description: 'Do more.', adapter: 'exec' },
  }));
  assert.is(planned.code, 'none');
  const { status, title, file_locks: locks, description } = planned.task;
  assert.equal([status, locks], ['done', ['docs/a']]);
  assert.not.match(`${title} ${description}`, /Another title|Do more/);
});

test('DSK-2 a version of another role, source, purpose or work is not what a rejection is taken back to', async () => {
  const other = parseObjectId('f'.repeat(40));
  const cases: readonly ((former: Task) => Task)[] = [
    (former) => ({ ...former, role: 'merger' }),
    (former) => ({ ...former, source: 'https://github.example/lea/sample/issues/1' }),
    (former) => ({ ...former, takes_back: { changeset: '1-b', follow: 'drop', notes: '', keep: false } }),
    (former) => alterTask(former, { commit: other }),
    (former) => alterTask(former, { start_commit: other }),
  ];
  for (const [at, forge] of cases.entries()) {
    const { code, task } = await undoneBeside(forge);
    assert.equal([at, code, task.status], [at, 'changed-meanwhile', 'requeued']);
  }
});

test('DSK-2 where the note itself has other work than the rejected changeset was built of, nothing is taken back', async () => {
  const bench = await open((question) => (question.changeset.group === 'a' ? reject : approve));
  await runStack(bench);
  const works = [parseObjectId('f'.repeat(40))];
  await bench.said.transact(({ current }) => {
    if (current === null) return null;
    const changesets = current.changesets.map((one) => (one.group === 'a' ? { ...one, works } : one));
    return {
      changes: [{ subject: 'forged', session: { ...current, changesets } }],
      actor: 'Lea Lead',
    };
  });
  assert.is(await codeOf(undoChangesetDecision(bench.context, bench.session, 'a')), 'changed-meanwhile');
});

test.run();
