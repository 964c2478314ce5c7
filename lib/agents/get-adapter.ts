import { adapterNames } from '../domain/config/config.ts';
import { FlameError } from '../domain/flame-error.ts';
import type { Adapter } from '../domain/ports/adapter.ts';
import type { AdapterConfig } from './adapter-config.ts';
import { claudeAdapter } from './claude-adapter.ts';
import { execAdapter } from './exec-adapter.ts';

type AdapterName = (typeof adapterNames)[number];
const adapters: Readonly<Record<AdapterName, (config: AdapterConfig) => Adapter>> = {
  claude: claudeAdapter,
  exec: execAdapter,
};

/** The adapter of that name as configured. Throws FlameError `unknown-adapter` listing those there are. */
export function getAdapter(name: string, config: AdapterConfig): Adapter {
  if (!isAdapterName(name)) {
    throw new FlameError({
      kind: 'usage',
      code: 'unknown-adapter',
      message: `There is no adapter ${JSON.stringify(name)}; there are: ${adapterNames.join(', ')}.`,
      hints: ['Set roles.<role>.adapter in .blueflame.yml to one of them.'],
      data: { name, known: adapterNames },
    });
  }
  return adapters[name](config);
}

function isAdapterName(name: string): name is AdapterName {
  return (adapterNames as readonly string[]).includes(name);
}
