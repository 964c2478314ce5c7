import type { Adapter } from '../../domain/ports/adapter.ts';
import { createBlockingEndFacts } from '../cli-hooks.ts';
import { type AdapterConfig, usualCliFacts } from '../launch-settings.ts';
import { codexCallFacts } from './codex-calls.ts';
import { buildCodexLaunch, parseCodexModelCatalog } from './codex-launch.ts';
import { createCodexReader } from './codex-reader.ts';

/** OpenAI's Codex CLI. Its hooks saw no patches before 0.169, and none of it was tried with an older one. */
export function createCodexAdapter(config: AdapterConfig): Adapter {
  return {
    ...usualCliFacts,
    name: 'codex',
    command: config.adapters.codex?.command ?? ['codex'],
    apis: [{ provider: 'openai', prefix: '/openai', dialects: ['responses'] }],
    calls: codexCallFacts,
    end: createBlockingEndFacts('last_assistant_message'),
    readsByShell: true,
    takesAccountShell: true,
    version: {
      args: ['--version'],
      minimum: '0.169.0',
      parse: (output) => output.match(/^codex-cli (\d+\.\d+\.\d+)\b/m)?.[1] ?? null,
      install: 'Install Codex with `npm install --global @openai/codex`.',
    },
    preparation: { args: ['debug', 'models'], read: parseCodexModelCatalog },
    weaker: [
      'Models made for its code mode run with plain tools, because its hooks cover only those.',
      'Its commands run in the shell of your account. Without bubblewrap, which pins that to bash, it is refused.',
      'The watcher does not see text sent to a running command before it arrives, so such text ends the agent.',
    ],
    launch: buildCodexLaunch,
    reader: createCodexReader,
  };
}
