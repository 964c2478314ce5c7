import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { Client } from '@modelcontextprotocol/client';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { reportError } from '../../lib/cli/report-error.ts';
import { openLeadToolsInRun } from '../../lib/commands/mcp/run-host.ts';
import { runFromStartRequest } from '../../lib/commands/plan/run-from-start-request.ts';
import { readStartRequest } from '../../lib/commands/plan/start-request.ts';
import { withRunContext } from '../../lib/commands/run-context/open-run-context.ts';
import { continueSession } from '../../lib/commands/run-loop/continue-session.ts';
import type { Failure } from '../../lib/domain/failure.ts';
import type { AgentOutcome, AgentRequest, AgentRunner } from '../../lib/domain/ports/agent-port.ts';
import type { CommandArgs } from '../../lib/domain/view-models/command.ts';
import type { RunContext } from '../../lib/engine/run-context.ts';
import { type Said, toSaid } from './mcp-client.ts';
import type { TestRepo } from './repo.ts';

/** A model that leads, as a script: it calls the tools as an agent does, and ends with a failure, or well. */
export type QueenScript = (lead: {
  call(tool: string, words?: Readonly<Record<string, unknown>>): Promise<Said>;
  readonly request: AgentRequest;
  /** Aborts when she is told to end. */
  readonly signal: AbortSignal;
}) => Promise<Partial<AgentOutcome> | undefined>;

export interface LedRun {
  readonly code: number;
  readonly stderr: string;
  readonly lines: readonly Record<string, unknown>[];
  /** Ids of the queens that were started. */
  readonly queens: readonly string[];
}

/**
 * `git flame run --queen OBJECTIVE --json` in this process, with all that belongs to it, but for the CLI in its cell:
 * what would be said there by a model is a function, at the same door.
 */
export async function ledRun(
  repo: TestRepo,
  queen: QueenScript,
  options: {
    readonly objective?: string | null;
    readonly decisions?: string | null;
    readonly signal?: AbortSignal;
    /** Beside the session that is open. */
    readonly isBeside?: boolean;
  } = {},
): Promise<LedRun> {
  const { objective = 'Some files', decisions = '.git/decisions.yml', signal, isBeside = false } = options;
  const args = argsOf(objective, decisions, isBeside);
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  stdin.end();
  const [out, err] = [collect(stdout), collect(stderr)];
  const io = {
    cwd: repo.path,
    env: repo.env,
    stdin,
    stdout,
    stderr,
    ...(signal === undefined ? {} : { signal }),
  };
  const queens: string[] = [];
  const code = await withRunContext(args, io, (opened) => {
    const context = ledBy(opened.context, queen, queens);
    const led = { ...opened, context };
    return runFromStartRequest(led, readStartRequest(args), io, (start) =>
      continueSession(led, io, start, openLeadToolsInRun),
    );
  }).catch((error: unknown) => reportError(error, ['run', '--json'], io));
  const lines = out()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line): Record<string, unknown> => JSON.parse(line));
  return { code, stderr: err() + out(), lines, queens };
}

function argsOf(objective: string | null, decisionsFile: string | null, isNew: boolean): CommandArgs<'run'> {
  return {
    command: 'run',
    subcommand: null,
    positionals: objective === null ? [] : [objective],
    options: {
      from: null,
      new: isNew,
      queen: true,
      pr: false,
      remote: null,
      takeOver: false,
      web: false,
      open: false,
      port: null,
      address: null,
    },
    globals: {
      ...{ config: null, json: true, plain: true, quiet: false, color: null, dryRun: false },
      ...{ decisionsFile, session: null, debug: false },
    },
  };
}

function ledBy(context: RunContext, queen: QueenScript, queens: string[]): RunContext {
  return {
    ...context,
    agents: withQueen(context.agents, queen, queens),
    reload: async () => ledBy(await context.reload(), queen, queens),
  };
}

function withQueen(agents: AgentRunner, queen: QueenScript, queens: string[]): AgentRunner {
  return {
    ...agents,
    checkAdapter: (name) => (name === 'claude' ? Promise.resolve('2.1.0') : agents.checkAdapter(name)),
    canary: (name, model) =>
      name === 'claude' ? Promise.resolve({ denied: true, details: '' }) : agents.canary(name, model),
    start: async (request, onActivity, shared) => {
      if (request.role !== 'queen') return agents.start(request, onActivity, shared);
      queens.push(request.id);
      const stopping = new AbortController();
      const stopped = new Promise<Partial<AgentOutcome>>((resolve) => {
        stopping.signal.addEventListener('abort', () => resolve({ failure: stoppedFailure }));
      });
      const script = lead(request, queen, stopping.signal);
      script.catch(() => undefined);
      const outcome = Promise.race([script, stopped]).then((told) => ({ ...quiet, ...told }));
      return { id: request.id, pid: process.pid, outcome, stop: async () => stopping.abort() };
    },
  };
}

function lead(request: AgentRequest, queen: QueenScript, signal: AbortSignal): Promise<Partial<AgentOutcome>> {
  return throughDoor(request.tools, async (call) => (await queen({ call, request, signal })) ?? {});
}

/** Calls the tools of an agent that leads at the door they are behind. */
export async function throughDoor<T>(
  tools: AgentRequest['tools'],
  work: (call: Parameters<QueenScript>[0]['call']) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'door-'));
  const path = join(folder, 'tools.sock');
  const door = await tools?.listen(path);
  const client = new Client({ name: 'queen', version: '1' });
  const socket = connect(path);
  try {
    // Its messages are the same from both sides.
    await client.connect(new StdioServerTransport(socket, socket));
    const call = async (name: string, words = {}): Promise<Said> =>
      toSaid(await client.callTool({ name, arguments: { ...words } }, { timeout: 60_000 }));
    return await work(call);
  } finally {
    socket.destroy();
    await door?.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

const stoppedFailure: Failure = {
  kind: 'agent-stopped',
  message: 'It was stopped.',
  details: [],
  retryable: false,
};

const quiet: AgentOutcome = {
  ...{ failure: null, exitCode: 0, answer: null, text: '', cost_usd: 0.5, tokens: 1_000, duration_ms: 0 },
  ...{ audit: { allowed: 0, blocked: 0, top: [] }, logFile: '' },
};

function collect(stream: PassThrough): () => string {
  const chunks: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  return () => Buffer.concat(chunks).toString();
}
