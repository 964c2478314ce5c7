import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Adapter, AgentLaunch, AgentResultParts } from '../../lib/domain/ports/adapter.ts';
import type { AgentActivity, AgentRequest } from '../../lib/domain/ports/agent-port.ts';
import { makePaths, makeRequest } from './model-agent.ts';
import { type ModelScript, type ModelServer, startModelServer } from './model-server.ts';
import { makeTempDir } from './repo.ts';

/** A folder with all an agent needs, without a sandbox around it: for tests inside a namespace of their own. */
export interface BareCell {
  readonly root: string;
  readonly worktree: string;
  readonly home: string;
  readonly control: string;
  /** Made by the SessionStart hook. */
  readonly canary: string;
  /** Names of the tools the watcher was asked about, one per line. */
  readonly asked: string;
}

export interface BareRun extends AgentResultParts {
  readonly exitCode: number | null;
  readonly activity: readonly AgentActivity[];
  readonly stderr: string;
}

export function makeBareCell(): BareCell {
  const root = makeTempDir('flame-cell');
  const folder = (name: string): string => {
    mkdirSync(join(root, name));
    return join(root, name);
  };
  return {
    root,
    worktree: folder('work_tree'),
    home: folder('home'),
    control: folder('control'),
    canary: join(root, 'canary'),
    asked: join(root, 'asked'),
  };
}

/** Writes a watcher that notes the call's tool, then ends as `body` says (sh). Returns its path. */
export function writeWatcher(cell: BareCell, body: string): string {
  const path = join(cell.control, 'watcher');
  const note = `sed -n 's/.*"tool_name":"\\([A-Za-z]*\\)".*/\\1/p' >> '${cell.asked}'`;
  writeFileSync(path, `#!/bin/sh\n${note}\n${body}\n`);
  chmodSync(path, 0o755);
  return path;
}

/** Runs what the adapter describes against a scripted model, and reads it with the adapter's reader. */
export async function runBare(
  adapter: Adapter,
  options: {
    readonly program: string;
    readonly cell: BareCell;
    readonly hookCommand: string;
    readonly script: ModelScript;
    readonly request?: Partial<AgentRequest>;
  },
): Promise<BareRun & { readonly server: ModelServer }> {
  const server = await startModelServer({ script: options.script });
  const { request, launch } = prepare(adapter, { ...options, baseUrl: server.url });
  const reader = adapter.reader(request);
  const [program = '', ...args] = launch.argv;
  const child = spawn(program, args, {
    cwd: options.cell.worktree,
    env: launch.env,
    stdio: [launch.stdin === null ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  });
  const activity: AgentActivity[] = [];
  let stderr = '';
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => activity.push(...reader.push(chunk)));
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    stderr += chunk;
  });
  child.stdin?.end(launch.stdin ?? '');
  const [exitCode, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, by) => resolve([code, by]));
  });
  await server.close();
  const parts = reader.finish({
    exitCode,
    signal,
    timedOut: false,
    stoppedBecause: null,
    stderr,
    at: Date.now(),
  });
  return { ...parts, exitCode, activity, stderr, server };
}

/** The launch of an agent in a bare cell, its files written. */
export function prepare(
  adapter: Adapter,
  options: {
    readonly program: string;
    readonly cell: BareCell;
    readonly hookCommand: string;
    readonly baseUrl: string | null;
    readonly request?: Partial<AgentRequest>;
  },
): { readonly request: AgentRequest; readonly launch: AgentLaunch } {
  const { cell } = options;
  const base = makeRequest();
  const request = makeRequest({
    worktree: { ...base.worktree, path: cell.worktree },
    ...options.request,
  });
  const launch = adapter.launch(
    request,
    makePaths({
      command: [options.program],
      home: cell.home,
      tmp: cell.root,
      controlDir: cell.control,
      hookCommand: options.hookCommand,
      canaryCommand: `touch '${cell.canary}'`,
      baseUrl: options.baseUrl,
    }),
  );
  for (const { dir, path, content } of launch.files) {
    const file = join(dir === 'home' ? cell.home : cell.control, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
  return { request, launch };
}
