import type { Adapter } from '../../domain/ports/adapter.ts';
import type { AdapterConfig } from '../adapter-config.ts';
import { opencodeCalls } from './opencode-calls.ts';
import { launchOpencode } from './opencode-launch.ts';
import { opencodeReader } from './opencode-reader.ts';

/** opencode. Models are named with their provider before a slash. */
export function opencodeAdapter(config: AdapterConfig): Adapter {
  return {
    name: 'opencode',
    command: config.adapters.opencode?.command ?? ['opencode'],
    commits: 'agent',
    apis: [
      { provider: 'anthropic', prefix: '/anthropic', dialects: ['anthropic'], named: 'anthropic/' },
      { provider: 'openai', prefix: '/openai', dialects: ['responses', 'chat'], named: 'openai/' },
      { provider: 'google', prefix: '/google', dialects: ['gemini'], named: 'google/' },
      { provider: 'moonshot', prefix: '/moonshotai', dialects: ['chat'], named: 'moonshotai/' },
    ],
    calls: opencodeCalls,
    readsByShell: false,
    takesAccountShell: false,
    canTalk: false,
    canLead: false,
    version: {
      args: ['--version'],
      minimum: '1.18.33',
      parse: (output) => output.match(/^v?(\d+\.\d+\.\d+)\b/m)?.[1] ?? null,
      install: 'Install opencode with `npm install --global opencode-ai`.',
    },
    preparation: null,
    weaker: [
      "The watcher is asked by a plugin in the CLI's own process, not by a program beside it.",
      'Its tools that search files need ripgrep (`rg`) in PATH.',
    ],
    launch: launchOpencode,
    reader: opencodeReader,
    readTranscript: () => ({ answer: null, text: '', tokens: 0 }),
  };
}
