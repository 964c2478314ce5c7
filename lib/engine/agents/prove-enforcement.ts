import { roleAdapter } from '../../domain/config/role-settings.ts';
import { FlameError } from '../../domain/flame-error.ts';
import { apiOf, needsModel } from '../../domain/ports/adapter.ts';
import { tellOnce } from '../tell-once.ts';
import type { Workshop } from '../workshop.ts';

/**
 * Proves, once for each configuration, adapter and model API, that a call which must be denied is denied, and that there is a sandbox
 * where one is required. Throws FlameError `no-sandbox`,
 * `shell-not-pinned`, `cell-not-sealed` or `canary-failed`; no agent starts then.
 */
export function proveEnforcement(workshop: Workshop, adapter: string, model: string): Promise<void> {
  const name = `${adapter} ${apiOf(workshop.adapter(adapter), model)?.provider ?? ''}`;
  const proof = workshop.proofs.get(name) ?? prove(workshop, adapter, model);
  workshop.proofs.set(name, proof);
  return proof;
}

async function prove(workshop: Workshop, adapter: string, model: string): Promise<void> {
  await requireSandbox(workshop, adapter);
  const { denied, details } = await workshop.agents.canary(adapter, model);
  if (workshop.adapter(adapter).calls === null) return;
  workshop.events.emit({ event: 'canary', result: denied ? 'denied' : 'failed', details });
  if (denied) return;
  throw new FlameError({
    kind: 'refused',
    code: 'canary-failed',
    message: `The canary call of ${adapter} was not denied: its tool calls would not be checked, so no agent is started.`,
    details: [details],
    hints: [
      /could not be started|no cell/i.test(details)
        ? 'git flame doctor'
        : `Check the version of ${adapter}, then: git flame run`,
    ],
  });
}

/**
 * To be asked before a person approves or a task is claimed: says that there is no sandbox, or throws FlameError `no-sandbox`
 * where there has to be one, or `shell-not-pinned` where no sandbox keeps the adapter to the shell that is judged.
 */
export async function requireSandbox(
  workshop: Pick<Workshop, 'adapter' | 'agents' | 'config' | 'events' | 'gates' | 'run'>,
  adapter: string,
): Promise<void> {
  const sandbox = await workshop.agents.sandbox();
  if (workshop.adapter(adapter).takesAccountShell && sandbox.kind !== 'bubblewrap')
    throw shellNotPinned(adapter, sandbox);
  if (sandbox.kind !== 'none') {
    warn(workshop, 'The sandbox is weaker here than on other machines; git flame doctor says more.', sandbox);
    return;
  }
  // Commands that a task brings, which the configuration chose for no role, need a cell as well.
  const isOffered = roleAdapter(workshop.config, 'worker') === adapter;
  // Where no person reads a warning, the warning permits nothing.
  const isNeeded = needsModel(workshop.adapter(adapter)) || !isOffered || !workshop.gates.isInteractive;
  if (workshop.config.sandbox.require ?? isNeeded) {
    throw new FlameError({
      kind: 'refused',
      code: 'no-sandbox',
      message: 'Agents need a sandbox and there is none on this machine.',
      details: sandbox.missing,
      hints: [...sandbox.cure, 'Or accept the risk in .blueflame.yml: sandbox: { require: false }'],
    });
  }
  warn(
    workshop,
    'No sandbox: what agents run is held by the watcher and the post-check alone, not by the operating system.',
    sandbox,
  );
}

/** No setting accepts this: its rules about commands would be rules about another language. */
function shellNotPinned(
  adapter: string,
  { missing, cure }: { readonly missing: readonly string[]; readonly cure: readonly string[] },
): FlameError {
  return new FlameError({
    kind: 'refused',
    code: 'shell-not-pinned',
    message: `${adapter} runs commands in the shell of your account or one that its model names, and the rules judge bash: only bubblewrap holds it to that, and it makes no cell here.`,
    details: missing,
    hints: [
      ...cure,
      'Or give its roles to another CLI in .blueflame.yml: roles: { worker: { adapter: claude } }',
    ],
    data: { adapter },
  });
}

/** Warns of missing enforcement once a run, for all adapters together. */
function warn(
  workshop: Pick<Workshop, 'events' | 'run'>,
  message: string,
  { missing }: { readonly missing: readonly string[] },
): void {
  if (missing.length > 0) tellOnce(workshop, message, { details: missing });
}
