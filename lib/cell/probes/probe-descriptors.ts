import { closeSync, openSync } from 'node:fs';
import { FlameError } from '../../domain/flame-error.ts';
import { randomName } from '../../util/short-names.ts';
import { makeRunFolder } from '../run-folder.ts';
import type { RunnerContext } from '../runner-context.ts';
import { leakStatus } from '../sandbox/cell-gate.ts';
import { runProbeCell } from './run-probe-cell.ts';

// One that every shell can name, and one behind a gap that most of what closes descriptors stops at.
const numbers = [8, 60];
/** Of CellStart's leaks. */
const firstLeak = 6;

/**
 * Tries whether a folder that the starting process left open can be reached in a cell, with one at a low and one at a
 * high number. null: no such cell begins; else the finding.
 */
export async function tryDescriptors(context: RunnerContext): Promise<string | null> {
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
    if (exitCode === leakStatus && !output.includes('reached')) return null;
    if (output.includes('reached')) return `descriptor ${number}, left open on purpose, was open in a cell`;
    return startError ?? `the cell in which descriptor ${number} was tried ended before it could tell`;
  } finally {
    closeSync(opened);
    await folder.remove();
  }
}

/** Throws FlameError `cell-not-sealed` where what this program has open would be open to agents. */
export async function requireSealed(context: RunnerContext): Promise<void> {
  const seen = await tryDescriptors(context);
  if (seen === null) return;
  throw new FlameError({
    kind: 'refused',
    code: 'cell-not-sealed',
    message: 'A cell could reach what the program that starts it has open, so no agent is started.',
    details: [seen],
    hints: ['git flame doctor'],
  });
}
