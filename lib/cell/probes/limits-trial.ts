import { randomName } from '../../util/short-names.ts';
import { makeRunFolder } from '../run-folder.ts';
import type { RunnerContext } from '../runner-context.ts';
import type { CellLimits } from '../sandbox-state.ts';
import { runProbeCell } from './run-probe-cell.ts';

/** Whether a cell that goes over a limit with several small processes was stopped. */
interface LimitTrials {
  readonly memory: boolean;
  readonly cpu: boolean;
  readonly processes: boolean;
}

const small: CellLimits = {
  cpuSeconds: 10,
  memoryMb: 96,
  fileSizeMb: 10,
  diskMb: 1_000,
  openFiles: 256,
  processes: 64,
};

// tail keeps what it can't write yet; no process alone is over the limit.
const manyHold = 'for i in 1 2 3 4; do head -c 40000000 /dev/zero | tail -c 40000000 | sleep 5 & done; wait';
const manyCount = 'for i in 1 2 3 4; do while :; do :; done & done; wait';
const manySleep = 'i=0; while [ $i -lt 120 ]; do sleep 5 & i=$((i+1)); done; wait';

/** Goes over each limit in a real cell, within seconds. */
export async function tryLimits(context: RunnerContext): Promise<LimitTrials> {
  const [memory, cpu, processes] = await Promise.all([
    run(context, manyHold, small),
    run(context, manyCount, { ...small, cpuSeconds: 2 }),
    run(context, manySleep, small),
  ]);
  return {
    memory: memory.limit === 'memory',
    cpu: cpu.limit === 'cpu',
    // Where the kernel refuses by the user's own count, the shell's message is the only sign.
    processes: processes.limit === 'processes' || /fork/i.test(processes.output),
  };
}

async function run(
  context: RunnerContext,
  line: string,
  limits: CellLimits,
): ReturnType<typeof runProbeCell> {
  const name = randomName('probe');
  const folder = makeRunFolder(context.repository.commonDir, name);
  try {
    return await runProbeCell(context, { name, folder, limits, argv: ['/bin/sh', '-c', line] });
  } finally {
    await folder.remove();
  }
}
