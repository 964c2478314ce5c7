import type { Adapter } from '../../domain/ports/adapter.ts';
import { createBlockingEndFacts } from '../cli-hooks.ts';
import { type AdapterConfig, usualCliFacts } from '../launch-settings.ts';
import { geminiCallFacts } from './gemini-calls.ts';
import { buildGeminiLaunch } from './gemini-launch.ts';
import { createGeminiReader } from './gemini-reader.ts';

/** Google's Gemini CLI. Settings and hooks are those of 0.61, and none of it was tried with an older one. */
export function createGeminiAdapter(config: AdapterConfig): Adapter {
  return {
    ...usualCliFacts,
    name: 'gemini',
    command: config.adapters.gemini?.command ?? ['gemini'],
    apis: [{ provider: 'google', prefix: '/google', dialects: ['gemini'] }],
    calls: geminiCallFacts,
    end: createBlockingEndFacts('prompt_response'),
    readsUnasked: ['GEMINI.md'],
    version: {
      args: ['--version'],
      minimum: '0.61.0',
      parse: (output) => output.match(/^(\d+\.\d+\.\d+)\b/m)?.[1] ?? null,
      install: 'Install the Gemini CLI with `npm install --global @google/gemini-cli`.',
    },
    weaker: [
      'Its hooks do not name calls, so the ledger counts them by tool and input.',
      'It reads every GEMINI.md without asking: agents see those of the repository empty, but it reads one that an agent writes.',
      'It refuses paths outside the worktree itself, before it asks the watcher, so the audit does not list those calls.',
      "Its agents can't ask you anything while they work.",
    ],
    launch: buildGeminiLaunch,
    reader: createGeminiReader,
  };
}
