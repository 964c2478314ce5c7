import type { Store } from '../../lib/domain/ports/store-port.ts';
import { openStore } from '../../lib/store/open-store.ts';
import { hermeticEnv } from '../support/repo.ts';
import { alterTask } from '../support/tasks.ts';
import { sampleSessionId } from './sample.ts';

// A writer in a process of its own: `claim` takes pending tasks until none is left, `count` changes one task
// for ever. Each line of output is a change that was acknowledged.
const [mode = '', commonDir = '', name = ''] = process.argv.slice(2);
const store = await openStore({
  context: { cwd: commonDir, env: hermeticEnv },
  commonDir,
  objectFormat: 'sha1',
});
if (mode === 'claim') await claimAll(store);
else await countUp(store);
await store.close();

async function claimAll(state: Store): Promise<void> {
  for (;;) {
    let claimed = '';
    const result = await state.transact((snapshot) => {
      const task = snapshot.tasksOf(sampleSessionId).find(({ status }) => status === 'pending');
      if (task === undefined) return null;
      claimed = task.id;
      return {
        actor: name,
        changes: [
          {
            subject: `${task.id}: pending -> claimed by ${name}`,
            transition: 'pending -> claimed',
            tasks: [alterTask(task, { status: 'claimed', claimed_by: name })],
          },
        ],
      };
    });
    if (result.kind === 'nothing') return;
    process.stdout.write(`${claimed}\n`);
  }
}

async function countUp(state: Store): Promise<void> {
  for (let count = 1; ; count += 1) {
    await state.transact((snapshot) => {
      const task = snapshot.tasksOf(sampleSessionId).find(({ id }) => id === name);
      const session = snapshot.current;
      if (task === undefined || session === null) throw new Error(`${name} is gone`);
      // Both notes say the same, or the transaction was torn.
      const total = Number(session.objective) + 1;
      return {
        actor: name,
        changes: [
          { subject: `${name}: ${total}`, tasks: [{ ...task, reason: String(total) }] },
          { subject: `total: ${total}`, session: { ...session, objective: String(total) } },
        ],
      };
    });
    process.stdout.write(`${count}\n`);
  }
}
