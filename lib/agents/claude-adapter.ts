import type { Adapter } from '../domain/ports/adapter.ts';
import type { EndHookFacts } from '../domain/ports/call-facts.ts';
import { claudeCallFacts } from './claude-calls.ts';
import { buildClaudeLaunch } from './claude-launch.ts';
import { createClaudeReader, parseClaudeTranscript } from './claude-reader.ts';
import { createBlockingEndFacts } from './cli-hooks.ts';
import { type AdapterConfig, usualCliFacts } from './launch-settings.ts';

/** Claude Code. Older than 2.1 lacks options the safe invocation needs, and would start without them. */
export function createClaudeAdapter(config: AdapterConfig): Adapter {
  const plugin = config.superpowers.enabled ? config.superpowers.plugin_dir : null;
  return {
    ...usualCliFacts,
    name: 'claude',
    command: config.adapters.claude?.command ?? ['claude'],
    apis: [{ provider: 'anthropic', prefix: '', dialects: ['anthropic'], helper: 'haiku' }],
    calls: claudeCallFacts,
    end: claudeEndHook,
    canTalk: true,
    version: {
      args: ['--version'],
      minimum: '2.1.0',
      parse: (output) => output.match(/^(\d+\.\d+\.\d+)(?: \(Claude Code\))?\s*$/m)?.[1] ?? null,
      install: 'Install Claude Code with `npm install --global @anthropic-ai/claude-code`.',
    },
    launch: (request, paths) => buildClaudeLaunch(request, paths, plugin),
    reader: (request) => createClaudeReader(request, config.superpowers),
    readTranscript: parseClaudeTranscript,
  };
}

/** Claude Code's `Stop` hook. */
export const claudeEndHook: EndHookFacts = createBlockingEndFacts('last_assistant_message');
