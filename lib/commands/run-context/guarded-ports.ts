import { listIgnoredVariables } from '../../cell/gateway/ignored-variables.ts';
import { listConfiguredProviders } from '../../cell/run/model-access.ts';
import type { Config } from '../../domain/config/config-schema.ts';
import type { Adapter } from '../../domain/ports/adapter.ts';
import type { AgentRunner } from '../../domain/ports/agent-port.ts';
import type { PromptRenderer } from '../../domain/ports/prompt-port.ts';
import type { Io } from '../../domain/view-models/command.ts';
import type { MachinePort } from '../../engine/run-context.ts';
import type { PermissionGate } from '../context/permission-gate.ts';

type Desk = Pick<PermissionGate, 'guard'>;

/** Agents, and commands in cells, that start only as the person allowed them. */
export function guardAgents(agents: AgentRunner, desk: Desk): AgentRunner {
  return {
    ...agents,
    checkAdapter: async (name) => {
      desk.guard.requireAgents();
      return agents.checkAdapter(name);
    },
    canary: async (name, model) => {
      desk.guard.requireAgents();
      return agents.canary(name, model);
    },
    start: async (request, onActivity, shared) => {
      desk.guard.requireAgents();
      return agents.start(request, onActivity, shared);
    },
    runCommand: async (request) => {
      desk.guard.requireAll();
      return agents.runCommand(request);
    },
  };
}

/** A machine that runs a hook's command only while the files it names are what the person allowed. */
export function guardMachine(machine: MachinePort, desk: Desk): MachinePort {
  return {
    ...machine,
    runScript: async (request) => {
      desk.guard.requireHook(request.command);
      return machine.runScript(request);
    },
    prepareFiles: async (request) => {
      desk.guard.requireAll();
      return machine.prepareFiles(request);
    },
  };
}

/** Prompts of templates the person allowed. */
export function guardPrompts(prompts: PromptRenderer, desk: Desk): PromptRenderer {
  return {
    render: (data, projectFiles) => {
      desk.guard.requireAll();
      return prompts.render(data, projectFiles);
    },
    lastWord: (found) => {
      desk.guard.requireAll();
      return prompts.lastWord(found);
    },
  };
}

interface IgnoredVariablesOptions {
  readonly env: Io['env'];
  readonly config: Config;
  adapter(name: string): Adapter;
  warn(message: string): void;
}

/** Agents before whose start the person reads which variables of the environment their CLI ignores here. */
export function warnOfIgnoredVariables(
  agents: AgentRunner,
  { env, config, adapter, warn }: IgnoredVariablesOptions,
): AgentRunner {
  return {
    ...agents,
    checkAdapter: async (name) => {
      const version = await agents.checkAdapter(name);
      const providers = listConfiguredProviders({ config }, adapter(name));
      for (const message of listIgnoredVariables(env, { config, adapter: name, providers })) warn(message);
      return version;
    },
  };
}
