import { type AdapterName, adapterNames } from '../domain/config/known-clis.ts';
import { FlameError } from '../domain/flame-error.ts';
import type { Adapter } from '../domain/ports/adapter.ts';
import { type JsonRecord, parseJsonRecord } from '../util/json.ts';
import { createClaudeAdapter } from './claude-adapter.ts';
import { createCodexAdapter } from './codex/codex-adapter.ts';
import { renderCodexEvent } from './codex/codex-reader.ts';
import { createCopilotAdapter } from './copilot/copilot-adapter.ts';
import { renderCopilotEvent } from './copilot/copilot-reader.ts';
import { createLineSplitter, renderClaudeEvent } from './event-fields.ts';
import { createExecAdapter } from './exec-adapter.ts';
import { createGeminiAdapter } from './gemini/gemini-adapter.ts';
import { renderGeminiEvent } from './gemini/gemini-reader.ts';
import { createKimiAdapter } from './kimi/kimi-adapter.ts';
import { renderKimiEvent } from './kimi/kimi-reader.ts';
import type { AdapterConfig } from './launch-settings.ts';
import { createOpencodeAdapter } from './opencode/opencode-adapter.ts';
import { renderOpencodeEvent } from './opencode/opencode-reader.ts';

interface AdapterRow {
  make(config: AdapterConfig): Adapter;
  /** An event of its stream as lines for a person, paths relative to the worktree; null where it is none of its. */
  show(event: JsonRecord, worktree: string): readonly string[] | null;
}

const adapters: Readonly<Record<AdapterName, AdapterRow>> = {
  claude: { make: createClaudeAdapter, show: renderClaudeEvent },
  codex: { make: createCodexAdapter, show: renderCodexEvent },
  opencode: { make: createOpencodeAdapter, show: renderOpencodeEvent },
  exec: { make: createExecAdapter, show: () => null },
  gemini: { make: createGeminiAdapter, show: renderGeminiEvent },
  kimi: { make: createKimiAdapter, show: renderKimiEvent },
  copilot: { make: createCopilotAdapter, show: renderCopilotEvent },
};

/** The adapter of that name as configured. Throws FlameError `unknown-adapter` listing those there are. */
export function getAdapter(name: string, config: AdapterConfig): Adapter {
  if (!isAdapterName(name)) {
    throw new FlameError({
      kind: 'usage',
      code: 'unknown-adapter',
      message: `There is no adapter ${JSON.stringify(name)}. Known are: ${adapterNames.join(', ')}.`,
      hints: ['Set roles.<role>.adapter in .blueflame.yml to one of them.'],
      data: { name, known: adapterNames },
    });
  }
  return adapters[name].make(config);
}

function isAdapterName(name: string): name is AdapterName {
  return (adapterNames as readonly string[]).includes(name);
}

/** An agent's stream as lines for a person to read: what it says and which tools it calls. */
interface StreamView {
  push(chunk: string): readonly StreamLine[];
  /** Returns the rest that has no line break. */
  rest(): readonly StreamLine[];
}

export interface StreamLine {
  /** As the agent printed it. */
  readonly raw: string;
  /** Lines for people, not escaped; none for a line that only programs read. */
  readonly shown: readonly string[];
}

/** `worktree`: paths in it are shown relative to it. */
export function createStreamViewer(worktree: string): StreamView {
  const lines = createLineSplitter();
  const read = (raw: string): StreamLine => ({ raw, shown: describe(raw, worktree) });
  return {
    push: (chunk) => lines.push(chunk).map(read),
    rest: () => lines.rest().filter(Boolean).map(read),
  };
}

/** A line that is no event of any CLI is what a script printed. */
function describe(line: string, worktree: string): readonly string[] {
  const event = parseJsonRecord(line);
  if (event.type === 'truncated') return [`(its output after ${event.limit_bytes} bytes was not kept)`];
  for (const { show } of Object.values(adapters)) {
    const shown = show(event, worktree);
    if (shown !== null) return shown;
  }
  return typeof event.type === 'string' ? [] : [line];
}
