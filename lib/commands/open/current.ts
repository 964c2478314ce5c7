import type { Config } from '../../domain/config/config.ts';
import type { AgentRunner } from '../../domain/ports/agent-port.ts';
import type { RunConfig } from './run-config.ts';

/** The parts that a reload replaces: the configuration in force, and the agents started by it. */
export interface Current {
  readonly loaded: RunConfig;
  readonly agents: AgentRunner;
  /** Agents that were started before keep their configuration. */
  replace(loaded: RunConfig): void;
  /** Ends the agents still running, by any configuration. */
  close(): Promise<void>;
}

export function openCurrent(first: RunConfig, open: (config: Config) => AgentRunner): Current {
  let loaded = first;
  let agents = open(first.config);
  const all = [agents];
  return {
    get loaded() {
      return loaded;
    },
    get agents() {
      return agents;
    },
    replace: (next) => {
      loaded = next;
      agents = open(next.config);
      all.push(agents);
    },
    close: async () => {
      await Promise.all(all.map((one) => one.close()));
    },
  };
}
