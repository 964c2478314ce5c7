import type { Adapter } from '../../domain/ports/adapter.ts';
import { createBlockingEndFacts } from '../cli-hooks.ts';
import { type AdapterConfig, usualCliFacts } from '../launch-settings.ts';
import { copilotCallFacts } from './copilot-calls.ts';
import { buildCopilotLaunch } from './copilot-launch.ts';
import { createCopilotReader } from './copilot-reader.ts';

const readVersion = (output: string): string | null =>
  output.match(/^(?:Copilot binary version:|GitHub Copilot CLI) (\d+\.\d+\.\d+)\b/m)?.[1] ?? null;

/**
 * GitHub's Copilot CLI, with a model provider of one's own: what it asks of GitHub's servers, no gateway could stand
 * before. Models of Anthropic have `anthropic/` before their name; others are asked by OpenAI's Responses.
 */
export function createCopilotAdapter(config: AdapterConfig): Adapter {
  return {
    ...usualCliFacts,
    name: 'copilot',
    command: config.adapters.copilot?.command ?? ['copilot'],
    apis: [
      { provider: 'copilot', prefix: '/openai', dialects: ['responses'] },
      {
        provider: 'anthropic',
        prefix: '/anthropic',
        dialects: ['anthropic'],
        named: 'anthropic/',
        usual: 'claude-sonnet-4-6',
      },
    ],
    calls: copilotCallFacts,
    end: createBlockingEndFacts(null),
    version: {
      // The plain one unpacks hundreds of megabytes first.
      args: ['--binary-version'],
      minimum: '1.0.102',
      parse: readVersion,
      install: 'Install the Copilot CLI with `npm install --global @github/copilot`.',
    },
    preparation: {
      args: ['--binary-version'],
      read: readVersion,
      unpacked: {
        places: [
          ['COPILOT_PKG_CACHE_HOME', ''],
          ['COPILOT_CACHE_HOME', ''],
          ['XDG_CACHE_HOME', 'copilot'],
          ['HOME', '.cache/copilot'],
        ],
        folder: 'pkg',
        sign: '.extraction-complete',
        unpack: ['--version'],
      },
    },
    weaker: [
      'It works only with a model provider of your own: the gateway does not reach models of a Copilot subscription.',
      'Its hooks do not name calls, so the ledger counts them by tool and input.',
      "Its own instructions come before those of git-flame, which are part of its agents' task.",
      'It reports no tokens: only the gateway counts what its agents use.',
    ],
    launch: buildCopilotLaunch,
    reader: createCopilotReader,
  };
}
