import { closeSync, openSync } from 'node:fs';
import { FlameError } from '../../domain/flame-error.ts';
import { randomName } from '../../util/short-names.ts';
import { makeRunFolder, type RunFolder } from '../run-folder.ts';
import type { CellLimits, RunnerContext } from '../runner-context.ts';
import type { CellProfile } from '../sandbox/bwrap-profile.ts';
import { leakedDescriptorExitCode } from '../sandbox/cell-start-barrier.ts';
import { commandEnvironment, prepareCellProfile } from '../sandbox/prepare-cell.ts';
import { type CellEnd, spawnCell } from '../sandbox/spawn-cell.ts';
import { createTailBuffer } from '../tail-buffer.ts';

interface ProbeCell {
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

const usualMs = 20_000;

type ProbeEnd = CellEnd & { readonly output: string };

/**
 * Runs a small program in a real cell that works in no repository: its home. Both its streams are the output. What runs out
 * of time is run once more: the machine may have slept.
 */
export async function runProbeCell(context: RunnerContext, probe: ProbeCell): Promise<ProbeEnd> {
  const first = await runOnce(context, probe);
  return first.isLate ? runOnce(context, probe) : first;
}

async function runOnce(context: RunnerContext, probe: ProbeCell): Promise<ProbeEnd & { readonly isLate: boolean }> {
  const output = createTailBuffer(16_384);
  const cell = spawnCell({
    sandbox: await context.sandbox(),
    profile: prepareCellProfile(context, {
      folder: probe.folder,
      place: { path: probe.folder.home, quarantine: null },
      isReadOnly: false,
      isInteractive: false,
      programs: probe.programs ?? [],
      mounts: probe.mounts ?? [],
      env: commandEnvironment(context, probe.folder),
      author: { name: 'probe', email: 'probe@localhost' },
    }),
    limits: probe.limits ?? context.limits,
    argv: probe.argv,
    stdin: null,
    mark: probe.name,
    opensOutput: false,
    ...(probe.leaks === undefined ? {} : { leaks: probe.leaks }),
    onStdout: output.push,
    onStderr: output.push,
  });
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    void cell.stop(0);
  }, probe.timeoutMs ?? usualMs);
  const end = await cell.ended;
  clearTimeout(timer);
  return { ...end, output: output.text(), isLate };
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
  const name = randomName('probe');
  const folder = makeRunFolder(context.repository.commonDir, name);
  const opened = openSync(context.repository.commonDir, 'r');
  try {
    const { exitCode, output, startError } = await runProbeCell(context, {
      name,
      folder,
      leaks: [...Array<'ignore'>(number - firstLeak).fill('ignore'), opened],
      argv: ['/bin/sh', '-c', `ls /proc/self/fd/${number}/ && echo reached`],
    });
    if (exitCode === leakedDescriptorExitCode && !output.includes('reached')) return null;
    if (output.includes('reached')) return `descriptor ${number}, left open on purpose, was open in a cell`;
    return startError ?? `the cell in which descriptor ${number} was tried ended before it could report`;
  } finally {
    closeSync(opened);
    await folder.remove();
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
