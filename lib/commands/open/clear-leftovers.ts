import { basename, join } from 'node:path';
import { readSpending } from '../../cell/run/agent-registry.ts';
import { endStaleRun, listStaleRuns, removeStaleCanaries } from '../../cell/run/end-runs.ts';
import { unansweredIn } from '../../cell/run/held-time.ts';
import type { Io } from '../../domain/shown/command.ts';
import { bookKilled } from '../../engine/work/release-orphans.ts';
import { finishMotions } from '../../git/refs/finish-motions.ts';
import { removeDeadLocks } from '../../util/owned-lock.ts';
import type { Reading } from './read-state.ts';

type Leftovers = Pick<Reading, 'git' | 'output' | 'store'>;

/** Clears what killed commands left: locks, half-moved refs, running agents, half-made cells. */
export async function clearLeftovers({ git, output, store }: Leftovers, io: Io, root: string): Promise<void> {
  const { commonDir } = git.repository;
  removeStaleCanaries(new Date());
  for (const folder of ['', 'blueflame', 'blueflame/locks']) removeDeadLocks(join(commonDir, folder));
  const finished = await finishMotions({ cwd: root, env: io.env }, commonDir);
  if (finished.length > 0) {
    const message = 'Finished what a killed git had begun.';
    output.events.emit({ event: 'notice', level: 'info', message, details: finished });
  }
  await clearRuns({ git, store, output }, commonDir);
  await git.recoverCells();
}

/** A question that stood open when its run was killed is asked no more. */
function sayUnanswered(folder: string, { events }: Leftovers['output']): void {
  const text = unansweredIn(folder);
  if (text === '') return;
  const message = `${basename(folder)} asked you something when its run ended, and was not answered; its next attempt may ask again: ${text}`;
  events.emit({ event: 'notice', level: 'warning', message });
}

/** Books what agents of killed runs had spent, and ends those still running. */
async function clearRuns({ git, output, store }: Leftovers, commonDir: string): Promise<void> {
  const now = new Date();
  const orphans: string[] = [];
  for (const folder of listStaleRuns(commonDir, now)) {
    sayUnanswered(folder, output);
    const spent = readSpending(folder, now);
    if (spent !== null) await bookKilled(store, await git.identity(), spent);
    if (await endStaleRun(folder)) orphans.push(basename(folder));
  }
  if (orphans.length === 0) return;
  const message = `Ended what a killed run had left running: ${orphans.join(', ')}.`;
  output.events.emit({ event: 'notice', level: 'warning', message });
}
