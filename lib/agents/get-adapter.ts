import { type AdapterName, adapterNames } from '../domain/config/agent-clis.ts';
import { FlameError } from '../domain/flame-error.ts';
import type { Adapter } from '../domain/ports/adapter.ts';
import type { JsonRecord } from '../util/json.ts';
import type { AdapterConfig } from './adapter-config.ts';
import { claudeAdapter } from './claude-adapter.ts';
import { showClaudeLine } from './claude-events.ts';
import { codexAdapter } from './codex/codex-adapter.ts';
import { showCodexLine } from './codex/codex-reader.ts';
import { copilotAdapter } from './copilot/copilot-adapter.ts';
import { showCopilotLine } from './copilot/copilot-reader.ts';
import { execAdapter } from './exec-adapter.ts';
import { geminiAdapter } from './gemini/gemini-adapter.ts';
import { showGeminiLine } from './gemini/gemini-reader.ts';
import { kimiAdapter } from './kimi/kimi-adapter.ts';
import { showKimiLine } from './kimi/kimi-reader.ts';
import { opencodeAdapter } from './opencode/opencode-adapter.ts';
import { showOpencodeLine } from './opencode/opencode-reader.ts';

interface AdapterRow {
  make(config: AdapterConfig): Adapter;
  /** An event of its stream as lines for a person, paths relative to the worktree; null where it is none of its. */
  show(event: JsonRecord, worktree: string): readonly string[] | null;
}

const adapters: Readonly<Record<AdapterName, AdapterRow>> = {
  claude: { make: claudeAdapter, show: showClaudeLine },
  codex: { make: codexAdapter, show: showCodexLine },
  opencode: { make: opencodeAdapter, show: showOpencodeLine },
  exec: { make: execAdapter, show: () => null },
  gemini: { make: geminiAdapter, show: showGeminiLine },
  kimi: { make: kimiAdapter, show: showKimiLine },
  copilot: { make: copilotAdapter, show: showCopilotLine },
};

/** An event of some CLI's stream as lines for a person; null where it is none of those known. */
export function showEvent(event: JsonRecord, worktree: string): readonly string[] | null {
  for (const { show } of Object.values(adapters)) {
    const shown = show(event, worktree);
    if (shown !== null) return shown;
  }
  return null;
}

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
  return adapters[name].make(config);
}

function isAdapterName(name: string): name is AdapterName {
  return (adapterNames as readonly string[]).includes(name);
}
