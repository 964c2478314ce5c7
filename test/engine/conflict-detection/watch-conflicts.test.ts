import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseObjectId } from '../../../lib/domain/ids.ts';
import { watchConflicts } from '../../../lib/engine/conflict-detection/watch-conflicts.ts';
import { viewSession } from '../../../lib/engine/record-changes.ts';
import type { RunContext } from '../../../lib/engine/run-context.ts';
import { shared, stackTask } from '../../support/stack.ts';
import { alterTask } from '../../support/tasks.ts';
import { closeWorkshops, openTestWorkshop } from '../../support/workshop.ts';

test.after(closeWorkshops);

/** Two works that conflict, and a git whose trials are answered by `tryMerge`. */
async function openBench(
  tryMerge: RunContext['git']['tryMerge'],
  { stop, now }: { readonly stop?: AbortSignal; readonly now?: () => Date } = {},
) {
  const bench = await openTestWorkshop({
    tasks: ['task-001', 'task-002'].map((id) => stackTask({ id })),
    agent: () => ({}),
    ...(stop === undefined ? {} : { stop }),
  });
  const { repo, context } = bench;
  const start = parseObjectId(repo.git('rev-parse', 'main'));
  const stored = await viewSession(context, bench.session);
  const tasks = stored.tasks.map((task) => {
    repo.git('checkout', '-q', '--detach', start);
    repo.write(shared, `${task.id}\n`);
    const commit = parseObjectId(repo.commit(task.id));
    return alterTask(task, { status: 'done', branch: 'b', commit, start_commit: start });
  });
  const git = new Proxy(context.git, {
    get: (target, name) => (name === 'tryMerge' ? tryMerge : Reflect.get(target, name)),
  });
  return {
    ...bench,
    watch: watchConflicts({ ...context, git, now: now ?? context.now }),
    view: { ...stored, tasks },
  };
}

test('a look is begun and not waited for, one at a time, and ends with the wave', async () => {
  let begun = 0;
  let reached: (() => void) | null = null;
  const trial = new Promise<void>((resolve) => {
    reached = resolve;
  });
  const { watch, view, events } = await openBench(async (_, __, signal) => {
    begun += 1;
    reached?.();
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    return { kind: 'conflict', paths: [shared] };
  });
  watch.look(view);
  await trial;
  watch.look(view);
  watch.look(view);
  await watch.end();
  assert.is(begun, 1);
  assert.not.ok(events.some(({ event }) => event === 'conflicts-ahead'));
  watch.look(view);
  await watch.end();
  assert.is(begun, 1);
});

test('what is asked for while a look is under way is looked at after it', async () => {
  const { watch, view, events } = await openBench(async () => ({ kind: 'conflict', paths: [shared] }), {
    now: () => new Date(),
  });
  watch.look({ ...view, tasks: view.tasks.slice(0, 1) });
  watch.look({ ...view, tasks: [] });
  watch.look(view);
  while (!events.some(({ event }) => event === 'conflicts-ahead')) await new Promise((go) => setImmediate(go));
  await watch.end();
});

test('Ctrl-C ends a look', async () => {
  const stop = new AbortController();
  let ended: ((isAborted: boolean) => void) | null = null;
  const end = new Promise<boolean>((resolve) => {
    ended = resolve;
  });
  const { watch, view } = await openBench(
    async (_, __, signal) => {
      stop.abort();
      ended?.(signal.aborted);
      return { kind: 'clean' };
    },
    { stop: stop.signal },
  );
  watch.look(view);
  assert.ok(await end);
  await watch.end();
});

test('a fault of the look is said once and leaves the wave alone', async () => {
  const { watch, view, events } = await openBench(async () => {
    throw new Error('odd');
  });
  watch.look(view);
  while (!events.some(({ event }) => event === 'notice')) await new Promise((go) => setImmediate(go));
  await watch.end();
  const notices = events.flatMap((event) => (event.event === 'notice' ? [event.message] : []));
  assert.equal(notices, ['Conflict detection stopped for the rest of this wave: odd']);
});

test.run();
