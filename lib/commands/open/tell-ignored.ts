import { ignoredVariables } from '../../cell/gateway/ignored-variables.ts';
import { askedProviders } from '../../cell/run/model-access.ts';
import type { Config } from '../../domain/config/config.ts';
import type { Adapter } from '../../domain/ports/adapter.ts';
import type { AgentRunner } from '../../domain/ports/agent-port.ts';
import type { Io } from '../../domain/shown/command.ts';

interface Told {
  readonly env: Io['env'];
  readonly config: Config;
  adapter(name: string): Adapter;
  warn(message: string): void;
}

/** Agents before whose start the person reads which variables of the environment their CLI ignores here. */
export function tellIgnored(agents: AgentRunner, { env, config, adapter, warn }: Told): AgentRunner {
  return {
    ...agents,
    checkAdapter: async (name) => {
      const version = await agents.checkAdapter(name);
      const providers = askedProviders({ config }, adapter(name));
      for (const message of ignoredVariables(env, { config, adapter: name, providers })) warn(message);
      return version;
    },
  };
}
