import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseTaskId } from '../../../lib/domain/ids.ts';
import type { StackedWorkOutcome } from '../../../lib/domain/ports/changeset-question.ts';
import { renderRejectionEffects } from '../../../lib/ui/render/changeset-lines.ts';
import {
  appending,
  filling,
  landedText,
  openStack,
  roomFor,
  runStack,
  type StackTask,
  shared,
} from '../../support/stack.ts';
import { closeWorkshops } from '../../support/workshop.ts';

// STK-3: before a person rejects, the gate says what that means for those on top.

test.after(closeWorkshops);

test('STK-3 the gate says which works would stand, which would conflict, and which would wait', async () => {
  const seen = new Map<string, readonly StackedWorkOutcome[]>();
  const bench = await openStack({
    tasks: [{ id: 'a' }, { id: 'b' }, { id: 'c' }, { id: 'd', needs: ['a'], locks: ['src/d.js'] }],
    agent: (request, attempt) => {
      if (request.task === 'd') return appending(() => 'src/d.js')(request, attempt);
      // c writes right where a did.
      if (request.task !== 'c') return filling(request, attempt);
      return filling({ ...request, task: parseTaskId('a') }, 3);
    },
    files: { [shared]: roomFor(['a', 'b', 'd']), 'src/d.js': '' },
    gates: {
      changeset: async ({ changeset, onTop }) => {
        seen.set(changeset.group, (await onTop?.(changeset.id)) ?? []);
        return { kind: 'skip' };
      },
    },
  });
  await runStack(bench);
  const said = renderRejectionEffects(seen.get('a') ?? []);
  assert.equal(said, [
    'Sending this back also affects d, b, c, stacked on it.',
    'b: no new work; its change is rebased onto what remains, checked and shown again.',
    'c: conflicts in src/price.js and goes back to its worker.',
    'd: depends on it, so its work is kept until there is new work below, then rebased onto that and checked again; only what conflicts goes back to a worker.',
  ]);
});

/** What the gate says of each rejection after the first one of `api`, which is of a part where `tasks` are named. */
async function effectsAfterApi(back: { readonly tasks?: readonly string[] }, stack: readonly StackTask[]) {
  const seen = new Map<string, readonly StackedWorkOutcome[]>();
  const bench = await openStack({
    tasks: stack,
    agent: (request, attempt) =>
      (request.task?.startsWith('docs') === true ? appending(() => 'docs/a.md') : filling)(request, attempt),
    files: { [shared]: roomFor(stack.map(({ id }) => id)), 'docs/a.md': '' },
    gates: {
      changeset: async ({ changeset, onTop }) => {
        const { group } = changeset;
        if (group === 'api' && !seen.has('')) {
          seen.set('', []);
          return { kind: 'reject', reason: 'Not so.', ...back };
        }
        seen.set(group, (await onTop?.(changeset.id)) ?? []);
        for (const one of changeset.tasks) seen.set(one, (await onTop?.(changeset.id, [one])) ?? []);
        return { kind: 'skip' };
      },
    },
  });
  await runStack(bench);
  return (of: string) => renderRejectionEffects(seen.get(of) ?? []).at(0);
}

test('STK-3 S5 what an earlier rejection took out from under others is no effect of rejecting something else', async () => {
  const effects = await effectsAfterApi({ tasks: ['api1'] }, [
    { id: 'api1', group: 'api' },
    { id: 'api2', group: 'api' },
    { id: 'docs1', group: 'docs', locks: ['docs/'] },
    { id: 'docs2', group: 'docs', locks: ['docs/'] },
  ]);
  assert.is(effects('docs'), undefined);
  assert.is(effects('docs2'), undefined);
  // The changeset is not on top of itself: its task is named.
  assert.is(effects('docs1'), 'Sending this back also affects docs2, stacked on it.');
});

test('STK-3 S5 work that lost one work below it is still named by what else it stands on', async () => {
  const effects = await effectsAfterApi({}, [
    { id: 'api1', group: 'api' },
    { id: 'docs1', group: 'docs', locks: ['docs/'] },
    { id: 'top', group: 'top', locks: [shared, 'docs/'] },
  ]);
  assert.is(effects('docs'), 'Sending this back also affects top, stacked on it.');
});

test('STK-3 groups are named once, and not again where all of them fare alike', () => {
  const onTop = ['task-002', 'task-003', 'task-004'].map(
    (task, place): StackedWorkOutcome => ({
      ...{ task, group: place < 2 ? 'docs' : 'blue', outcome: 'waits', paths: [] },
    }),
  );
  const [about, what = ''] = renderRejectionEffects(onTop);
  assert.is(about, 'Sending this back also affects docs (task-002, task-003), blue, stacked on it.');
  assert.match(what, /^They depend on it, so their works are kept/);
});

test('STK-3 asking changes nothing', async () => {
  const bench = await openStack({
    tasks: [{ id: 'a' }, { id: 'b' }],
    gates: {
      changeset: async ({ changeset, onTop }) => {
        await onTop?.(changeset.id);
        return { kind: 'approve' };
      },
    },
  });
  await runStack(bench);
  assert.is(landedText(bench), 'a\nb');
  assert.equal((await bench.task('b')).history.length, 1);
});

test.run();
