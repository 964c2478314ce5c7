import { createHash } from 'node:crypto';
import { copyFileSync, existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { EgressPhase } from '../../domain/config/egress.ts';
import { agentIdPattern } from '../../domain/ids.ts';
import type { AgentRunner, CommandRun } from '../../domain/ports/agent-port.ts';
import { cutToFailureText } from '../../util/error-text.ts';
import { randomName } from '../../util/short-names.ts';
import { type InstallCommandToRun, installDependenciesOnce } from '../dependencies/install-once.ts';
import { cargoConfigPath, offlinePackageToolSettings } from '../egress/cell-registries.ts';
import { type CellEgress, openEgress } from '../egress/open-egress.ts';
import { describeLimit, type LimitName } from '../limits/limits.ts';
import { makeRunFolder, type RunFolder } from '../run-folder.ts';
import type { RunnerContext } from '../runner-context.ts';
import { type CellRequest, commandEnvironment, prepareCellProfile } from '../sandbox/prepare-cell.ts';
import { type CellProcess, spawnCell } from '../sandbox/spawn-cell.ts';
import { createTailBuffer } from '../tail-buffer.ts';
import { hideFromGitOfCell } from './agent-cell-profile.ts';
import { measureAwakeTime } from './awake-clock.ts';
import { recordEndedCommand, recordRunningCommand } from './command-records.ts';
import { runAdapterProgram } from './resolve-command.ts';

const longestOutput = 4_000;
const graceMs = 2_000;

type Request = Parameters<AgentRunner['runCommand']>[0];
type OnStart = (cell: CellProcess) => void;

/**
 * Runs a shell line as runInCell does; a setup command that installs what lock files name is run once for all worktrees
 * with the same, see installDependenciesOnce.
 */
export async function runCommandInCell(
  context: RunnerContext,
  request: Request,
  onStart: OnStart,
): Promise<CommandRun> {
  // Code that agents wrote must not reach hosts that only the person's own setup may reach.
  const phase = request.basedOn === undefined ? request.phase : 'diagnostics';
  const shared =
    request.phase === 'setup'
      ? await installDependenciesOnce(context, request, {
          ask: (line) => askOnce(context, line),
          run: ({ command, place, own, isOfBase }) =>
            runInCell(context, {
              request: { ...request, command },
              place,
              own,
              onStart,
              phase: isOfBase ? 'setup' : phase,
            }),
        })
      : null;
  return shared ?? runInCell(context, { request, place: request.worktree, own: null, onStart, phase });
}

/** Returns the output of a shell line; the versions of tools are asked once. */
function askOnce(context: RunnerContext, line: string): Promise<string> {
  const asked =
    context.answers.get(line) ?? runAdapterProgram(context, ['bash'], ['-c', line]).then(({ stdout }) => stdout);
  context.answers.set(line, asked);
  return asked;
}

interface InCell {
  readonly request: Request;
  /** Whose list of `sandbox.egress` it reaches. */
  readonly phase: EgressPhase;
  /** A folder it may write beside its own, and the variable that names it. */
  readonly own: InstallCommandToRun['own'];
  readonly place: InstallCommandToRun['place'];
  readonly onStart: OnStart;
}

/**
 * Runs a shell line in a cell that reaches the hosts of `sandbox.egress`, in a worktree it may change. `onStart` gets
 * the process, so that it can be ended from outside.
 */
async function runInCell(context: RunnerContext, { request, place, own, onStart, phase }: InCell): Promise<CommandRun> {
  const began = performance.now();
  const [sandbox, gitConfig, workTree, emptied] = await Promise.all([
    context.sandbox(),
    context.gitConfig(),
    context.workTree(),
    hideFromGitOfCell(context, place, { showsCopies: true }),
  ]);
  const name = randomName('command');
  const folder = makeRunFolder(context.repository.commonDir, name);
  const output = createTailBuffer(longestOutput * 50);
  const hash = createHash('sha256');
  const recorded = recordRunningCommand(folder, request, () => output.text());
  const hear = (chunk: Buffer): void => {
    hash.update(chunk);
    output.push(chunk);
    recorded();
  };
  let egress: CellEgress | null = null;
  try {
    egress = await openEgress(context, {
      phase,
      folder,
      confinement: sandbox.confinement,
      name: logName(request, name),
    });
    placeCargoConfig(own, folder);
    const profile = prepareCellProfile(context, {
      ...cellOf(context, request, { folder, egress, own, place }),
      gitConfig,
      workTree,
      emptied,
    });
    const argv = ['bash', '-c', request.command];
    // An install or a build makes larger files than an agent writes; all it takes on the disk is bounded.
    const limits = { ...context.limits, fileSizeMb: context.limits.diskMb };
    const start = (): CellProcess =>
      spawnCell({
        sandbox,
        profile,
        limits,
        argv: egress?.wrap(argv) ?? argv,
        stdin: null,
        mark: name,
        opensOutput: true,
        onStdout: hear,
        onStderr: hear,
      });
    const { timedOut, exitCode, limit } = await untilStarted(async () => {
      const cell = start();
      onStart(cell);
      return untilEnd(cell, request);
    });
    if (limit !== null) output.push(Buffer.from(`\nThe command ${describeLimit(limit, limits)}.\n`));
    for (const why of egress?.refusals() ?? []) output.push(Buffer.from(`\nNot reached: ${why}.\n`));
    const end = { exitCode, timedOut, duration_ms: Math.round(performance.now() - began) };
    recordEndedCommand(context.repository.commonDir, name, request, end);
    const text = output.text();
    return {
      ...end,
      output: exitCode === 0 ? text.slice(-longestOutput) : cutToFailureText(text, longestOutput),
      output_hash: `sha256:${hash.digest('hex')}`,
    };
  } finally {
    await egress?.close();
    await folder.remove();
  }
}

function cellOf(
  context: RunnerContext,
  { label }: Request,
  {
    folder,
    egress,
    own,
    place,
  }: Pick<InCell, 'own' | 'place'> & { readonly folder: RunFolder; readonly egress: CellEgress | null },
): Omit<CellRequest, 'gitConfig' | 'workTree' | 'emptied'> {
  return {
    folder,
    place,
    isReadOnly: false,
    isInteractive: false,
    mayTrace: true,
    programs: egress?.programs ?? [],
    shown: egress?.shown ?? [],
    mounts: egress?.mounts ?? [],
    doors: { sockets: [], ports: egress?.ports ?? [] },
    writable: own === null ? [] : [own.path],
    env: {
      ...commandEnvironment(context, folder),
      ...(egress?.env ?? offlinePackageToolSettings),
      ...installVariables(own),
    },
    author: { name: label, email: 'blueflame@localhost' },
  };
}

/** Where an install puts what it makes, outside the worktree. */
function installVariables(own: InCell['own']): Readonly<Record<string, string>> {
  if (own === null) return {};
  // pip takes that folder only where it is asked to install for a user, and some systems refuse that unasked.
  // And no module of the worktree is to run in the place of its own.
  const python = { PIP_USER: '1', PIP_BREAK_SYSTEM_PACKAGES: '1', PYTHONSAFEPATH: '1' };
  const pip = own.variable === 'PYTHONUSERBASE' ? python : {};
  return { ...pip, [own.variable]: own.path };
}

/** cargo looks for the registry in the folder it keeps its crates in; the same is asked of it later, offline. */
function placeCargoConfig(own: InCell['own'], { home }: RunFolder): void {
  const written = join(home, cargoConfigPath);
  if (own?.variable === 'CARGO_HOME' && existsSync(written))
    copyFileSync(written, join(own.path, basename(cargoConfigPath)));
}

/** Names the log: the preparation of an agent's worktree is logged with the agent. */
function logName({ worktree }: Request, name: string): string {
  const owner = basename(worktree.path);
  return agentIdPattern.test(owner) ? owner : name;
}

interface CommandEnd {
  readonly timedOut: boolean;
  readonly exitCode: number | null;
  readonly limit: LimitName | null;
  readonly hasStarted: boolean;
}

/** Retries a cell that can't be made: the machine's programs share what it takes, so it may be made in a moment. */
async function untilStarted(run: () => Promise<CommandEnd>): Promise<CommandEnd> {
  for (const pauseMs of [200, 1_000]) {
    const end = await run();
    if (end.hasStarted) return end;
    await wait(pauseMs);
  }
  return run();
}

/** Waits for a command's end, and ends it when its time is up or its signal is aborted. */
async function untilEnd(cell: CellProcess, { timeoutMs, signal }: Request): Promise<CommandEnd> {
  let timedOut = false;
  const stop = (): void => void cell.stop(graceMs);
  signal?.addEventListener('abort', stop, { once: true });
  if (signal?.aborted === true) stop();
  const onTime = (): void => {
    timedOut = true;
    stop();
  };
  // A limit of 0 would be none.
  const endWatch = measureAwakeTime({ timeoutMs: Math.max(1, timeoutMs), lookMs: 1_000, onTime });
  const end = await cell.ended;
  endWatch();
  signal?.removeEventListener('abort', stop);
  const exitCode = timedOut || end.startError !== null ? null : end.exitCode;
  return { timedOut, exitCode, limit: timedOut ? null : end.limit, hasStarted: end.startError === null };
}
