import type { Adapter } from '../../domain/ports/adapter.ts';
import type { EndHookFacts } from '../../domain/ports/call-facts.ts';
import { type AdapterConfig, usualCliFacts } from '../launch-settings.ts';
import { kimiCallFacts } from './kimi-calls.ts';
import { buildKimiLaunch } from './kimi-launch.ts';
import { createKimiReader } from './kimi-reader.ts';

/** Moonshot's Kimi Code. It was a program in Python until version 2, with other options. */
export function createKimiAdapter(config: AdapterConfig): Adapter {
  return {
    ...usualCliFacts,
    name: 'kimi',
    command: config.adapters.kimi?.command ?? ['kimi'],
    apis: [{ provider: 'moonshot', prefix: '/moonshot', dialects: ['chat'] }],
    calls: kimiCallFacts,
    end: kimiEnd,
    version: {
      args: ['--version'],
      minimum: '2.1.0',
      parse: (output) => output.match(/^(\d+\.\d+\.\d+)\b/m)?.[1] ?? null,
      install:
        'Install Kimi Code with `npm install --global @moonshot-ai/kimi-code`. It needs Node 22.19. If an older one comes first in PATH, set in .blueflame.yml: adapters: { kimi: { command: [<newer node>, <path of its main.mjs>] } }.',
    },
    weaker: [
      'It reports no tokens: only the gateway counts what its agents use.',
      'It refuses files with names of secrets, and relative paths out of the worktree, itself, before it asks the watcher, so the audit does not list those calls.',
    ],
    launch: buildKimiLaunch,
    reader: createKimiReader,
  };
}

/** Its `Stop` hook reports no last words, and reads an answer as that of any hook: to deny is to deny the end. */
const kimiEnd: EndHookFacts = {
  parseLastMessage: () => '',
  renderContinue: (reason) =>
    JSON.stringify({ hookSpecificOutput: { permissionDecision: 'deny', permissionDecisionReason: reason } }),
};
