import type { Adapter } from '../../domain/ports/adapter.ts';
import { type AdapterConfig, usualCliFacts } from '../launch-settings.ts';
import { opencodeCallHook } from './opencode-calls.ts';
import { buildOpencodeLaunch } from './opencode-launch.ts';
import { createOpencodeReader } from './opencode-reader.ts';

const anthropic = { provider: 'anthropic', dialects: ['anthropic'] } as const;
const openai = { provider: 'openai', dialects: ['responses', 'chat'] } as const;
const google = { provider: 'google', dialects: ['gemini'] } as const;
const moonshot = { provider: 'moonshot', dialects: ['chat'] } as const;

/** opencode. Models are named with their provider before a slash. */
export function createOpencodeAdapter(config: AdapterConfig): Adapter {
  return {
    ...usualCliFacts,
    name: 'opencode',
    command: config.adapters.opencode?.command ?? ['opencode'],
    apis: [
      { ...anthropic, prefix: '/anthropic', named: 'anthropic/', usual: 'claude-sonnet-4-6' },
      { ...openai, prefix: '/openai', named: 'openai/', usual: 'gpt-5.5' },
      { ...google, prefix: '/google', named: 'google/', usual: 'gemini-2.5-pro' },
      { ...moonshot, prefix: '/moonshotai', named: 'moonshotai/', usual: 'kimi-k2.6' },
    ],
    calls: opencodeCallHook,
    // It notifies its plugins of its end, and does not wait for their answer.
    end: null,
    version: {
      args: ['--version'],
      minimum: '1.18.33',
      parse: (output) => output.match(/^v?(\d+\.\d+\.\d+)\b/m)?.[1] ?? null,
      install: 'Install opencode with `npm install --global opencode-ai`.',
    },
    weaker: [
      "A plugin in the CLI's own process asks the watcher, not a separate program.",
      'Its tools that search files need ripgrep (`rg`) in PATH.',
      "Its agents can't ask you anything while they work.",
    ],
    launch: buildOpencodeLaunch,
    reader: createOpencodeReader,
  };
}
