import { cliNames, usualModel } from '../../domain/config/agent-clis.ts';
import type { FlameError } from '../../domain/flame-error.ts';
import type { Adapter } from '../../domain/ports/adapter.ts';
import { missingCredential } from '../gateway/model-credential.ts';
import type { RunnerContext } from '../runner-context.ts';
import { findProgram } from '../sandbox/tool-paths.ts';

type Machine = Pick<RunnerContext, 'env' | 'adapters' | 'searchFolders' | 'repository'>;

/** An agent CLI that could play every role here, and what the configuration says then. */
export interface ReadyCli {
  readonly name: string;
  readonly roles: { readonly default: { readonly adapter: string } };
  readonly models?: { readonly default: string };
}

/** The CLIs that are installed and whose models can be asked from this environment. Nothing is started. */
export function readyClis(machine: Machine): readonly ReadyCli[] {
  return cliNames.flatMap((name) => {
    const adapter = machine.adapters(name);
    const api = adapter.apis.find(({ provider }) => missingCredential(machine.env, provider) === null);
    if (api === undefined || !isInstalled(machine, adapter)) return [];
    const roles = { default: { adapter: name } };
    const needsName = usualModel(name, 'worker') === '';
    return [{ name, roles, ...(needsName ? { models: { default: `${api.named}${api.usual}` } } : {}) }];
  });
}

/** Whether an adapter's program is where the person's shell finds it; its version is not looked at. */
export function isInstalled({ searchFolders, repository }: Machine, { command }: Adapter): boolean {
  const base = repository.mainWorkTree ?? repository.commonDir;
  return findProgram(command[0] ?? '', searchFolders, base) !== null;
}

/** Suggests other CLIs for an adapter that can't be used, as hints; none where no other CLI could. */
export function otherClis(machine: Machine, adapter: string): readonly string[] {
  return readyClis(machine)
    .filter(({ name }) => name !== adapter)
    .map(({ name, roles, models }) => {
      const of = models === undefined ? '' : `, models: { default: ${models.default} }`;
      return `or have ${name} play every role, in .blueflame.yml: roles: { default: { adapter: ${roles.default.adapter} } }${of}`;
    });
}

/** A refusal of an adapter with what else could be used. */
export function withOtherClis(machine: Machine, adapter: string, error: FlameError): FlameError {
  const isMissing = error.code === 'agent-missing' || error.code === 'no-credential';
  return isMissing ? error.withHints([...error.hints, ...otherClis(machine, adapter)]) : error;
}
