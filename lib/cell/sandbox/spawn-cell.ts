import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { requirePipes } from '../../util/child-programs.ts';
import { dropSetIdBitsBelow } from '../../util/drop-set-id.ts';
import { killPoint } from '../../util/kill-point.ts';
import { readProcessStart } from '../../util/process-identity.ts';
import { findLimitReachedByEnd, type LimitName, wrapCommandInLimits } from '../limits/limits.ts';
import { type CellLimitsWatch, watchCellLimits } from '../limits/watchdog.ts';
import { findProcessesByVariable, listLivingDescendants, sendSignalIfAlive } from '../process-table.ts';
import type { CellControlGroup, CellLimits, SandboxCapabilities } from '../runner-context.ts';
import { type CellProfile, passSyscallFilterToBwrap } from './bwrap-profile.ts';
import {
  type BwrapStatus,
  cellStartScript,
  isReaperAlive,
  readBwrapStatus,
  startOnceCellIsTied,
} from './cell-start-barrier.ts';
import { buildConfineCommand } from './confine.ts';
import { spawnWithPipes, waitForAllOutput } from './output-pipes.ts';

/** A program to start in a cell, and what takes its output. */
export interface CellStart {
  readonly sandbox: SandboxCapabilities;
  readonly profile: CellProfile;
  readonly limits: CellLimits;
  readonly argv: readonly string[];
  /** null: stdin is /dev/null. Not used with an interactive agent. */
  readonly stdin: string | null;
  /** A name no other living cell has: finds what left the process group. */
  readonly mark: string;
  /**
   * Whether what runs there can open its output by name, `/dev/stderr`. Never where that output is believed to be the
   * program's own: all that it starts could write there too.
   */
  readonly opensOutput: boolean;
  /** Descriptors left open for the cell on purpose, from its descriptor 6 on: it must not begin then. */
  readonly leaks?: readonly ('ignore' | number)[];
  onStdout(chunk: Buffer): void;
  onStderr(chunk: Buffer): void;
}

export interface CellEnd {
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** Why nothing was run; null when the program was started. */
  readonly startError: string | null;
  /** Why it was killed; null when it reached no limit. */
  readonly limit: LimitName | null;
}

export interface CellProcess {
  readonly pid: number;
  /** See readProcessStart; null when it could not be started. */
  readonly startedAt: string | null;
  /** Resolves when the program and all its descendants are gone and their output is read. */
  readonly ended: Promise<CellEnd>;
  /** SIGTERM to all in the cell, SIGKILL after the grace time. Resolves like `ended`. */
  stop(graceMs: number): Promise<void>;
}

/** In the environment of everything in a cell: its mark. */
export const cellMarkVariable = 'BLUEFLAME_CELL';

/**
 * Starts a program in a cell. All die with this process, however it ends: the kernel ties that to the thread
 * that spawns, so call it from the main thread.
 */
export function spawnCell(start: CellStart): CellProcess {
  const spawned = trySpawn(start);
  if (spawned instanceof Error) return notStarted(spawned);
  const { child, group } = spawned;
  killPoint('cell spawned');
  const status = readBwrapStatus(child);
  const gate = startOnceCellIsTied(child, start.sandbox.confinement === 'bubblewrap' ? status : null);
  const watch = watchCell(start, spawned, status);
  child.stdout?.on('data', (chunk: Buffer) => start.onStdout(chunk));
  child.stderr?.on('data', (chunk: Buffer) => start.onStderr(chunk));
  // A program may end without reading its input.
  child.stdin?.on('error', () => undefined);
  child.stdin?.end(start.stdin ?? '');
  const ended = waitForEnd({ child, group, status, watch }, start);
  return {
    pid: child.pid ?? 0,
    startedAt: child.pid === undefined ? null : readProcessStart(child.pid),
    ended,
    stop: async (graceMs) => {
      if (gate.isOpen) terminate({ child, status }, start);
      else gate.close();
      const timer = setTimeout(() => killAll({ child, status }, start), graceMs);
      await ended;
      clearTimeout(timer);
    },
  };
}

interface Spawned {
  readonly child: ChildProcess;
  readonly group: CellControlGroup | null;
}

/** Arguments longer than the system takes are thrown, not reported as an event. */
function trySpawn(start: CellStart): Spawned | Error {
  let group: CellControlGroup | null = null;
  try {
    group = start.sandbox.limits.openGroup(start.limits);
    const child = spawnConfined(start, group);
    passSyscallFilterToBwrap(child, start.profile);
    return { group, child };
  } catch (error) {
    void group?.close();
    return error instanceof Error ? error : new Error(String(error));
  }
}

function notStarted(error: Error): CellProcess {
  const end: CellEnd = { exitCode: null, signal: null, startError: error.message, limit: null };
  return { pid: 0, startedAt: null, ended: Promise.resolve(end), stop: async () => undefined };
}

/** The command that confines a program and sets its limits. */
function confinedCommand({ profile, sandbox, limits, argv }: CellStart): string[] {
  const { confinement } = sandbox;
  const command = wrapCommandInLimits(
    {
      ...limits,
      ...(profile.largestFileMb === undefined ? {} : { largestFileMb: profile.largestFileMb }),
      hasDataLimit: sandbox.limits.memory === 'watchdog',
      hasProcessLimit: sandbox.limits.processes === 'rlimit' && confinement === 'bubblewrap',
    },
    argv,
    cellStartScript,
  );
  return [...buildConfineCommand(sandbox, profile), ...command];
}

function spawnConfined(start: CellStart, group: CellControlGroup | null): ChildProcess {
  const { profile, sandbox } = start;
  const confined = confinedCommand(start);
  const argv = group?.enter(confined) ?? confined;
  const extra = sandbox.confinement === 'bubblewrap' ? 'pipe' : 'ignore';
  const options = {
    cwd: profile.workingDirectory,
    env: { ...profile.env, ...group?.env, [cellMarkVariable]: start.mark },
    // Ctrl-C at the terminal is for the tool, which stops the agents itself.
    detached: !profile.isInteractive,
  };
  const input = start.stdin === null ? 'ignore' : 'pipe';
  const others = [extra, extra, 'pipe', ...(start.leaks ?? [])] as const;
  if (start.opensOutput) return spawnWithPipes(argv, { ...options, input, others });
  const [program = '', ...args] = argv;
  const child = spawn(program, args, {
    ...options,
    stdio: profile.isInteractive ? ['inherit', 'inherit', 'inherit', ...others] : [input, 'pipe', 'pipe', ...others],
  });
  requirePipes(child);
  return child;
}

function watchCell(start: CellStart, { child, group }: Spawned, status: BwrapStatus): CellLimitsWatch | null {
  const { pid } = child;
  if (pid === undefined) return null;
  group?.entered(pid);
  const others = (): readonly number[] =>
    start.sandbox.confinement === 'watched' ? findProcessesByVariable(cellMarkVariable, start.mark) : [];
  return watchCellLimits({
    limits: start.limits,
    state: start.sandbox.limits,
    group,
    pid,
    others,
    folders: writtenBy(start.profile),
    onLimit: () => killAll({ child, status }, start),
  });
}

function writtenBy({ writable, overlays }: CellProfile): readonly string[] {
  return [...writable, ...overlays.map(({ own }) => join(own, 'upper'))];
}

interface Running extends Spawned {
  readonly status: BwrapStatus;
  readonly watch: CellLimitsWatch | null;
}

async function waitForEnd({ child, group, status, watch }: Running, start: CellStart): Promise<CellEnd> {
  let stderr = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    stderr = (stderr + chunk.toString()).slice(-1_000);
  });
  const closed = waitForAllOutput(child);
  const end = await new Promise<{ code: number | null; name: string | null; error: string | null }>((resolve) => {
    child.on('error', (error) => resolve({ code: null, name: null, error: error.message }));
    child.on('exit', (code, name) => resolve({ code, name, error: null }));
  });
  if (end.error !== null) {
    watch?.end();
    await group?.close();
    return { exitCode: null, signal: null, startError: end.error, limit: null };
  }
  // Processes that are left hold the pipes open: end them before waiting for the last output. bubblewrap ends all of
  // them itself, unless it is killed before it has reported its child.
  if (start.sandbox.confinement === 'watched' || (end.name !== null && status.reaper === null))
    await killRest({ child, status }, start);
  await closed;
  while (isReaperAlive(status.reaper)) await pause();
  const limit = watch?.end() ?? findLimitReachedByEnd(end);
  await group?.close();
  await dropSetIdBitsBelow(writtenBy(start.profile));
  const isRefused = start.sandbox.confinement === 'bubblewrap' && !status.hasRun && end.name === null;
  const startError = isRefused ? (stderr.trim().split('\n').at(-1) ?? 'bwrap failed') : null;
  return { exitCode: end.code, signal: end.name, startError, limit };
}

function terminate(running: Pick<Running, 'child' | 'status'>, start: CellStart): void {
  const { child, status } = running;
  const top = start.sandbox.confinement === 'bubblewrap' ? status.reaper?.pid : child.pid;
  if (top === undefined) {
    killAll(running, start);
    return;
  }
  const inside = listLivingDescendants(top);
  if (start.sandbox.confinement === 'watched')
    inside.push(top, ...findProcessesByVariable(cellMarkVariable, start.mark));
  for (const pid of inside) sendSignalIfAlive(pid, 'SIGTERM');
}

function killAll({ child, status }: Pick<Running, 'child' | 'status'>, start: CellStart): void {
  if (child.pid === undefined) return;
  const { reaper } = status;
  if (reaper !== null && isReaperAlive(status.reaper)) sendSignalIfAlive(reaper.pid, 'SIGKILL');
  else if (start.sandbox.confinement === 'watched' && !start.profile.isInteractive)
    sendSignalIfAlive(-child.pid, 'SIGKILL');
  if (reaper === null)
    for (const pid of findProcessesByVariable(cellMarkVariable, start.mark)) sendSignalIfAlive(pid, 'SIGKILL');
  if (child.exitCode === null && child.signalCode === null) sendSignalIfAlive(child.pid, 'SIGKILL');
}

async function killRest(running: Pick<Running, 'child' | 'status'>, start: CellStart): Promise<void> {
  do {
    killAll(running, start);
    await pause();
  } while (findProcessesByVariable(cellMarkVariable, start.mark).length > 0);
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 1));
}
