import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { getAdapter } from '../../../lib/agents/get-adapter.ts';
import { FlameError } from '../../../lib/domain/flame-error.ts';
import { proveDeniedCallsAreDenied, requireSandbox } from '../../../lib/engine/agents/require-usable-adapters.ts';
import { viewSession } from '../../../lib/engine/record-changes.ts';
import { requireRunCanStart } from '../../../lib/engine/work/preflight.ts';
import { runWorkWave } from '../../../lib/engine/work/work-wave.ts';
import { closeWorkshops, openTestWorkshop, type TestWorkshop } from '../../support/workshop.ts';

test.after(closeWorkshops);

const cure = 'sudo sysctl -w kernel.unprivileged_userns_clone=1';

async function withoutSandbox(
  config: Readonly<Record<string, unknown>>,
  isInteractive = true,
  kind: 'none' | 'seatbelt' = 'none',
): Promise<TestWorkshop> {
  const bench = await openTestWorkshop({
    agent: () => ({}),
    tasks: [task],
    config,
    gates: { isInteractive },
  });
  const sandbox = async () => ({ kind, missing: ['bwrap'], cure: [cure] });
  const agents = { ...bench.context.agents, sandbox };
  return { ...bench, context: { ...bench.context, agents } };
}

const task = { id: 'a', title: 'Do a', description: 'Do it.', file_locks: ['a.txt'] };
const scripts = { roles: { worker: { adapter: 'exec' } } };

async function codeOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => null,
    (error: unknown) => (error instanceof FlameError ? error.code : error),
  );
}

test("SAF-1 without a sandbox a task's own commands run only where the configuration has workers run commands", async () => {
  const prove = async (config: Readonly<Record<string, unknown>>, isInteractive?: boolean) =>
    codeOf(proveDeniedCallsAreDenied((await withoutSandbox(config, isInteractive)).context, 'exec', ''));
  assert.is(await prove({}), 'no-sandbox');
  assert.is(await prove(scripts), null);
  assert.is(await prove(scripts, false), 'no-sandbox');
  assert.is(await prove({ ...scripts, sandbox: { require: false } }, false), null);
});

test('WAT-4 codex, which takes the shell of the account, is refused without bubblewrap, whatever is accepted', async () => {
  const config = { roles: { worker: { adapter: 'codex' } }, sandbox: { require: false } };
  for (const kind of ['none', 'seatbelt'] as const) {
    const { context } = await withoutSandbox(config, true, kind);
    const real = { ...context, adapter: (name: string) => getAdapter(name, context.config) };
    assert.is(await codeOf(proveDeniedCallsAreDenied(real, 'codex', 'gpt-5.5')), 'shell-not-pinned', kind);
    assert.is(await codeOf(requireSandbox(real, 'opencode')), null, kind);
  }
});

test('ANY-2 where there is no sandbox, what brings one on this machine is named first', async () => {
  const { context } = await withoutSandbox({ roles: { worker: { adapter: 'codex' } } }, false);
  const real = { ...context, adapter: (name: string) => getAdapter(name, context.config) };
  for (const adapter of ['codex', 'opencode']) {
    const refused = await requireSandbox(real, adapter).catch((error: unknown) => error);
    assert.is(refused instanceof FlameError && refused.hints[0], cure, adapter);
  }
});

test('SAF-1 that there is no sandbox is said before a session begins or a task is claimed', async () => {
  const alone = await withoutSandbox(scripts, false);
  assert.is(await codeOf(requireRunCanStart(alone.context, ['worker'])), 'no-sandbox');
  assert.is(await codeOf(runWorkWave(alone.context, alone.session)), 'no-sandbox');
  const [left] = (await viewSession(alone.context, alone.session)).tasks;
  assert.is(left?.status, 'pending');
  const { context, session, events } = await withoutSandbox(scripts);
  await runWorkWave(context, session);
  const warned = events.findIndex((event) => event.event === 'notice' && /^No sandbox/.test(event.message));
  const claimed = events.findIndex((event) => event.event === 'task-changed' && event.to === 'claimed');
  assert.ok(warned >= 0 && claimed > warned, `${warned} ${claimed}`);
});

test.run();
