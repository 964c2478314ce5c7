import type { RunFolder } from '../run-folder.ts';
import type { RunnerContext } from '../runner-context.ts';
import type { CellProfile } from '../sandbox/bwrap-profile.ts';
import { commandEnvironment, prepareCell } from '../sandbox/prepare-cell.ts';
import { type CellEnd, spawnCell } from '../sandbox/spawn-cell.ts';
import type { CellLimits } from '../sandbox-state.ts';
import { tailBuffer } from '../tail-buffer.ts';

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

async function runOnce(
  context: RunnerContext,
  probe: ProbeCell,
): Promise<ProbeEnd & { readonly isLate: boolean }> {
  const output = tailBuffer(16_384);
  const cell = spawnCell({
    sandbox: await context.sandbox(),
    profile: prepareCell(context, {
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
