import { roleAdapter } from '../../domain/config/config.ts';
import { FlameError } from '../../domain/flame-error.ts';
import type { Workshop } from '../workshop.ts';

const proofs = new WeakMap<Workshop, Map<string, Promise<void>>>();

/**
 * Proves, once a run and adapter, that a call which must be denied is denied, and that there is a sandbox
 * where one is required. Throws FlameError `no-sandbox` or `canary-failed`; no agent starts then.
 */
export function proveEnforcement(workshop: Workshop, adapter: string): Promise<void> {
  const known = proofs.get(workshop) ?? new Map<string, Promise<void>>();
  proofs.set(workshop, known);
  const proof = known.get(adapter) ?? prove(workshop, adapter);
  known.set(adapter, proof);
  return proof;
}

async function prove(workshop: Workshop, adapter: string): Promise<void> {
  const facts = workshop.adapter(adapter);
  // Commands that a task brings, which the configuration chose for no role, need a cell as well.
  const isOffered = roleAdapter(workshop.config, 'worker') === adapter;
  await requireSandbox(workshop, facts.needsModel || !isOffered);
  if (!facts.hasHooks) return;
  const { denied, details } = await workshop.agents.canary(adapter);
  workshop.events.emit({ event: 'canary', result: denied ? 'denied' : 'failed', details });
  if (denied) return;
  throw new FlameError({
    kind: 'refused',
    code: 'canary-failed',
    message: `The canary call of ${adapter} was not denied: its tool calls would not be checked, so no agent is started.`,
    details: [details],
    hints: [`Check the version of ${adapter}, then: git flame run`],
  });
}

async function requireSandbox(workshop: Workshop, isNeeded: boolean): Promise<void> {
  const sandbox = await workshop.agents.sandbox();
  if (sandbox.kind !== 'none') {
    sayOnce(
      workshop,
      'The sandbox is weaker here than on other machines; git flame doctor says more.',
      sandbox.missing,
    );
    return;
  }
  const isRequired = workshop.config.sandbox.require ?? isNeeded;
  if (isRequired) {
    throw new FlameError({
      kind: 'refused',
      code: 'no-sandbox',
      message: 'Agents need a sandbox and there is none on this machine.',
      details: sandbox.missing,
      hints: ['apt install bubblewrap', 'or accept the risk in .blueflame.yml: sandbox: { require: false }'],
    });
  }
  sayOnce(
    workshop,
    'No sandbox: what agents run is held by the watcher and the post-check alone, not by the operating system.',
    sandbox.missing,
  );
}

const told = new WeakSet<Workshop>();

/** What isn't enforced here, once a run, whatever the number of adapters. */
function sayOnce(workshop: Workshop, message: string, details: readonly string[]): void {
  if (details.length === 0 || told.has(workshop)) return;
  told.add(workshop);
  workshop.events.emit({ event: 'notice', level: 'warning', message, details });
}
