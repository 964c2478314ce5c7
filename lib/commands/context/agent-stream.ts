import { statSync } from 'node:fs';
import { createStreamViewer, type StreamLine } from '../../agents/get-adapter.ts';
import { followStream } from '../../cell/run/agent-output-log.ts';
import { findLivingAgent, readRegisteredAgents } from '../../cell/run/agent-registry.ts';
import { agentOutputLogFile } from '../../cell/run-folder.ts';
import { auditFile } from '../../cell/watcher/audit-log.ts';
import type { AuditLine } from '../../domain/agent-policy.ts';
import type { BoardStreamLine } from '../../domain/view-models/board-view.ts';
import { openBlockedCallReader } from './agent-calls.ts';

type Hear = (lines: readonly BoardStreamLine[]) => void;

/** The beginning of a longer stream is skipped. */
const mostBytes = 8 * 1024 * 1024;
/** The most lines kept from before the board was opened. */
const mostLines = 400;
const longestLine = 2_000;

/**
 * Streams an agent's messages and calls, and the calls its watcher refused, as attachToAgent shows them: the latest part of
 * what is there, then what comes, until its end or an abort of `signal`. Resolves to false where there is no stream.
 */
export async function streamAgentActivity(
  commonDir: string,
  agent: string,
  { hear, signal }: { readonly hear: Hear; readonly signal: AbortSignal },
): Promise<boolean> {
  const file = agentOutputLogFile(commonDir, agent);
  const size = statSync(file, { throwIfNoEntry: false })?.size;
  if (size === undefined) return false;
  const skip = Math.max(0, size - mostBytes);
  const worktree = readRegisteredAgents(commonDir).find(({ id }) => id === agent)?.worktree ?? '/';
  const lines = new StreamLines({ worktree, audit: auditFile(commonDir, agent), isCut: skip > 0, hear });
  await followStream(file, {
    skip,
    signal,
    isLive: () => findLivingAgent(commonDir, agent) !== null,
    onText: (text, read) => lines.take(text, read >= size),
  });
  lines.end();
  return true;
}

interface LineOptions {
  readonly worktree: string;
  readonly audit: string;
  /** True if the beginning of the stream is skipped. */
  readonly isCut: boolean;
  readonly hear: Hear;
}

class StreamLines {
  readonly #view: ReturnType<typeof createStreamViewer>;
  readonly #blocked: ReturnType<typeof openBlockedCallReader>;
  readonly #hear: Hear;
  #early: BoardStreamLine[] | null = [];
  #leftOut: number;

  constructor({ worktree, audit, isCut, hear }: LineOptions) {
    this.#view = createStreamViewer(worktree);
    this.#blocked = openBlockedCallReader(audit);
    this.#hear = hear;
    this.#leftOut = isCut ? 1 : 0;
  }

  /** `isUpToDate`: all that there was at first has been read. */
  take(text: string, isUpToDate: boolean): void {
    this.#tell(this.#show(this.#view.push(text)), isUpToDate);
  }

  end(): void {
    this.#tell([...this.#show(this.#view.rest()), ...describe(this.#blocked.rest())], true);
  }

  #show(lines: readonly StreamLine[]): readonly BoardStreamLine[] {
    return lines.flatMap(({ shown }) => {
      for (const line of shown) this.#blocked.see(line);
      return [...shown.map(toBoardStreamLine), ...describe(this.#blocked.next())];
    });
  }

  #tell(lines: readonly BoardStreamLine[], isUpToDate: boolean): void {
    if (this.#early === null) {
      if (lines.length > 0) this.#hear(lines);
      return;
    }
    this.#early.push(...lines);
    const over = this.#early.length - mostLines;
    if (over > 0) this.#early.splice(0, over);
    this.#leftOut += Math.max(0, over);
    if (!isUpToDate) return;
    const gap: BoardStreamLine = { kind: 'gap', text: 'Earlier output is not shown.' };
    this.#hear(this.#leftOut > 0 ? [gap, ...this.#early] : this.#early);
    this.#early = null;
  }
}

/** A line of a stream as the board shows it. */
export function toBoardStreamLine(line: string): BoardStreamLine {
  return line.startsWith('> ') ? { kind: 'call', text: cut(line.slice(2)) } : { kind: 'said', text: cut(line) };
}

function describe(calls: readonly AuditLine[]): readonly BoardStreamLine[] {
  return calls.map(({ tool, target, rule, details }) => ({
    kind: 'blocked',
    text: cut(`${tool} ${target}: ${rule}${details === '' ? '' : `, ${details}`}`),
  }));
}

function cut(text: string): string {
  const over = text.length - longestLine;
  if (over <= 0) return text;
  return `${text.slice(0, longestLine).replace(/[\ud800-\udbff]$/, '')} … ${over} more characters`;
}
