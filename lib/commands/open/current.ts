import type { Config } from '../../domain/config/config.ts';
import type { AgentRunner } from '../../domain/ports/agent-port.ts';
import type { RunConfig } from './run-config.ts';

/** What a reload replaces: the configuration in force, and the agents that are started by it. */
export interface Current {
  readonly loaded: RunConfig;
  readonly agents: AgentRunner;
  /** Agents that were started before go on by what held then. */
  replace(loaded: RunConfig): void;
  /** Ends the agents still running, whatever they were started by. */
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
