import { closeSync, openSync } from 'node:fs';
import { FlameError } from '../../domain/flame-error.ts';
import { randomName } from '../../util/short-names.ts';
import { makeRunFolder, type RunFolder } from '../run-folder.ts';
import type { CellLimits, RunnerContext } from '../runner-context.ts';
import type { CellProfile } from '../sandbox/bwrap-profile.ts';
import { leakedDescriptorExitCode } from '../sandbox/cell-start-barrier.ts';
import { commandEnvironment, prepareCellProfile } from '../sandbox/prepare-cell.ts';
import { type CellEnd, type CellStart, spawnCell } from '../sandbox/spawn-cell.ts';
import { createTailBuffer } from '../tail-buffer.ts';

interface HomeCell extends Pick<CellStart, 'onStdout' | 'onStderr'> {
  /** A name no other living cell has. */
  readonly name: string;
  readonly folder: RunFolder;
  readonly argv: readonly string[];
  /** Programs it runs that may not be in sight. */
  readonly programs?: readonly string[];
  readonly mounts?: CellProfile['mounts'];
  readonly limits?: CellLimits;
  /** How long it may take, in milliseconds. */
  readonly timeoutMs?: number;
  /** See CellStart. */
  readonly leaks?: readonly ('ignore' | number)[];
}

/** How long a program in such a cell may usually take, in milliseconds. */
export const homeCellTimeoutMs = 20_000;

type ProbeCell = Omit<HomeCell, 'onStdout' | 'onStderr'>;

/** Runs a small program as runInHomeCell does. Both its streams are the output. */
export async function runProbeCell(
  context: RunnerContext,
  probe: ProbeCell,
): Promise<CellEnd & { readonly output: string }> {
  const runOnce = async (): Promise<CellEnd & { readonly output: string; readonly isLate: boolean }> => {
    const output = createTailBuffer(16_384);
    const end = await runInHomeCell(context, { ...probe, onStdout: output.push, onStderr: output.push });
    return { ...end, output: output.text() };
  };
  const first = await runOnce();
  // The machine may have slept.
  return first.isLate ? runOnce() : first;
}

/** Runs a program in a real cell that works in no repository, its home, and reaches no network. `isLate`: it was ended. */
export async function runInHomeCell(
  context: RunnerContext,
  { name, folder, argv, limits, timeoutMs, leaks, onStdout, onStderr, ...cell }: HomeCell,
): Promise<CellEnd & { readonly isLate: boolean }> {
  const started = spawnCell({
    sandbox: await context.sandbox(),
    profile: prepareCellProfile(context, {
      folder,
      place: { path: folder.home, quarantine: null },
      isReadOnly: false,
      isInteractive: false,
      programs: cell.programs ?? [],
      mounts: cell.mounts ?? [],
      env: commandEnvironment(context, folder),
      author: { name, email: `${name}@localhost` },
    }),
    limits: limits ?? context.limits,
    argv,
    stdin: null,
    mark: name,
    opensOutput: false,
    ...(leaks === undefined ? {} : { leaks }),
    onStdout,
    onStderr,
  });
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    void started.stop(0);
  }, timeoutMs ?? homeCellTimeoutMs);
  const end = await started.ended;
  clearTimeout(timer);
  return { ...end, isLate };
}

/** Gives a cell a name and a run folder of its own for as long as it is used. */
export async function withRunFolder<Result>(
  { repository }: Pick<RunnerContext, 'repository'>,
  kind: string,
  use: (name: string, folder: RunFolder) => Promise<Result>,
): Promise<Result> {
  const name = randomName(kind);
  const folder = makeRunFolder(repository.commonDir, name);
  try {
    return await use(name, folder);
  } finally {
    await folder.remove();
  }
}

// One that every shell can name, and one behind a gap that most of what closes descriptors stops at.
const numbers = [8, 60];
/** Of CellStart's leaks. */
const firstLeak = 6;

/**
 * Tries whether a folder that the starting process left open can be reached in a cell, with one at a low and one at a
 * high number. null: no such cell begins; else the finding.
 */
export async function testInheritedDescriptors(context: RunnerContext): Promise<string | null> {
  // On macOS the kernel passes on only what is named, so there is nothing to hand in by mistake.
  if (process.platform !== 'linux') return null;
  const answers: (string | null)[] = [];
  for (const number of numbers) answers.push(await tryDescriptor(context, number));
  return answers.find((answer) => answer !== null) ?? null;
}

async function tryDescriptor(context: RunnerContext, number: number): Promise<string | null> {
  const opened = openSync(context.repository.commonDir, 'r');
  try {
    const leaks = [...Array<'ignore'>(number - firstLeak).fill('ignore'), opened];
    const argv = ['/bin/sh', '-c', `ls /proc/self/fd/${number}/ && echo reached`];
    const { exitCode, output, startError } = await withRunFolder(context, 'probe', (name, folder) =>
      runProbeCell(context, { name, folder, leaks, argv }),
    );
    if (exitCode === leakedDescriptorExitCode && !output.includes('reached')) return null;
    if (output.includes('reached')) return `descriptor ${number}, left open on purpose, was open in a cell`;
    return startError ?? `the cell in which descriptor ${number} was tried ended before it could report`;
  } finally {
    closeSync(opened);
  }
}

/** Throws FlameError `cell-not-sealed` where what this program has open would be open to agents. */
export async function requireNoOpenFileReachesCell(context: RunnerContext): Promise<void> {
  const seen = await testInheritedDescriptors(context);
  if (seen === null) return;
  throw new FlameError({
    kind: 'refused',
    code: 'cell-not-sealed',
    message: 'A cell could reach open files of the program that starts it, so no agent is started.',
    details: [seen],
    hints: ['git flame doctor'],
  });
}
