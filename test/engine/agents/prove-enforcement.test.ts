import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { FlameError } from '../../../lib/domain/flame-error.ts';
import { proveEnforcement } from '../../../lib/engine/agents/prove-enforcement.ts';
import type { Workshop } from '../../../lib/engine/workshop.ts';
import { closeWorkshops, openTestWorkshop } from '../../support/workshop.ts';

test.after(closeWorkshops);

async function withoutSandbox(config: Readonly<Record<string, unknown>>): Promise<Workshop> {
  const { workshop } = await openTestWorkshop({ agent: () => ({}), tasks: [], config });
  const sandbox = async () => ({ kind: 'none' as const, missing: ['bwrap'] });
  return { ...workshop, agents: { ...workshop.agents, sandbox } };
}

test("SAF-1 without a sandbox a task's own commands run only where the configuration has workers run commands", async () => {
  const refused = await proveEnforcement(await withoutSandbox({}), 'exec').then(
    () => null,
    (error: unknown) => (error instanceof FlameError ? error.code : error),
  );
  assert.is(refused, 'no-sandbox');
  await proveEnforcement(await withoutSandbox({ roles: { worker: { adapter: 'exec' } } }), 'exec');
  await proveEnforcement(await withoutSandbox({ sandbox: { require: false } }), 'exec');
});

test.run();
