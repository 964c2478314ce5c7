import { createHash } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { AgentRunner, CommandRun } from '../../domain/ports/agent-port.ts';
import { randomName } from '../../util/random-name.ts';
import { describeLimit, type LimitName } from '../limits/limits.ts';
import { makeRunFolder, type RunFolder } from '../run-folder.ts';
import type { RunnerContext } from '../runner-context.ts';
import { type CellRequest, commandEnvironment, prepareCell } from '../sandbox/prepare-cell.ts';
import { type CellProcess, spawnCell } from '../sandbox/spawn-cell.ts';
import { tailBuffer } from '../tail-buffer.ts';
import { watchAwake } from './awake-clock.ts';

const longestOutput = 4_000;
const graceMs = 2_000;

/**
 * Runs a shell line in a cell without any network, in a worktree it may change. `onStart` hears of the
 * process, so that it can be ended from outside.
 */
export async function runCommand(
  context: RunnerContext,
  request: Parameters<AgentRunner['runCommand']>[0],
  onStart: (cell: CellProcess) => void,
): Promise<CommandRun> {
  const began = performance.now();
  const [sandbox, gitConfig, workTree] = await Promise.all([
    context.sandbox(),
    context.gitConfig(),
    context.workTree(),
  ]);
  const name = randomName('command');
  const folder = makeRunFolder(context.repository.commonDir, name);
  const output = tailBuffer(longestOutput * 4);
  const hash = createHash('sha256');
  const hear = (chunk: Buffer): void => {
    hash.update(chunk);
    output.push(chunk);
  };
  try {
    const profile = prepareCell(context, { ...cellOf(context, request, folder), gitConfig, workTree });
    const start = (): CellProcess =>
      spawnCell({
        sandbox,
        profile,
        limits: context.limits,
        argv: ['bash', '-c', request.command],
        stdin: null,
        mark: name,
        onStdout: hear,
        onStderr: hear,
      });
    const { timedOut, exitCode, limit } = await untilStarted(async () => {
      const cell = start();
      onStart(cell);
      return withTimeout(cell, request.timeoutMs);
    });
    if (limit !== null) output.push(Buffer.from(`\nThe command ${describeLimit(limit, context.limits)}.\n`));
    return {
      exitCode,
      timedOut,
      duration_ms: Math.round(performance.now() - began),
      output: output.text().slice(-longestOutput),
      output_hash: `sha256:${hash.digest('hex')}`,
    };
  } finally {
    await folder.remove();
  }
}

function cellOf(
  context: RunnerContext,
  { worktree, label }: Parameters<AgentRunner['runCommand']>[0],
  folder: RunFolder,
): Omit<CellRequest, 'gitConfig' | 'workTree'> {
  return {
    folder,
    place: worktree,
    isReadOnly: false,
    isInteractive: false,
    mayTrace: true,
    programs: [],
    mounts: [],
    env: commandEnvironment(context, folder),
    author: { name: label, email: 'blueflame@localhost' },
  };
}

interface CommandEnd {
  readonly timedOut: boolean;
  readonly exitCode: number | null;
  readonly limit: LimitName | null;
  readonly hasStarted: boolean;
}

/** What a cell takes is shared with everything on the machine: one that can't be made now may be in a moment. */
async function untilStarted(run: () => Promise<CommandEnd>): Promise<CommandEnd> {
  for (const pauseMs of [200, 1_000]) {
    const end = await run();
    if (end.hasStarted) return end;
    await wait(pauseMs);
  }
  return run();
}

async function withTimeout(cell: CellProcess, timeoutMs: number): Promise<CommandEnd> {
  let timedOut = false;
  const onTime = (): void => {
    timedOut = true;
    void cell.stop(graceMs);
  };
  // A limit of 0 would be none.
  const endWatch = watchAwake({ timeoutMs: Math.max(1, timeoutMs), lookMs: 1_000, onTime });
  const end = await cell.ended;
  endWatch();
  const exitCode = timedOut || end.startError !== null ? null : end.exitCode;
  return { timedOut, exitCode, limit: timedOut ? null : end.limit, hasStarted: end.startError === null };
}
