import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { claimTask } from '../../../lib/core/task/task-attempt.ts';
import { parseAgentId } from '../../../lib/domain/ids.ts';
import { decideAndRecord, viewSession } from '../../../lib/engine/record-changes.ts';
import { openAdmissionStore } from '../../../lib/store/admission/admission-store.ts';
import type { LocalStore } from '../../../lib/store/store-options.ts';
import { closeWorkshops, openTestWorkshop } from '../../support/workshop.ts';

test.after(closeWorkshops);

for (const how of ['whole', 'one session'] as const)
  test(`STA-3 a task that is claimed while the state is read (${how}) is in what was read`, async () => {
    const { context, session, said, repo } = await openTestWorkshop({
      tasks: ['a', 'b'].map((id) => ({ id, title: `Do ${id}`, description: '.', file_locks: [`src/${id}.txt`] })),
      agent: () => ({}),
    });
    const { commonDir, objectFormat } = context.git.repository;
    let isHeld = true;
    let go = (): void => undefined;
    const claimed = new Promise<void>((resolve) => {
      go = resolve;
    });
    const late = async <T>(value: Promise<T>): Promise<T> => {
      const read = await value;
      if (isHeld) await claimed;
      isHeld = false;
      return read;
    };
    const slow: LocalStore = {
      ...said,
      snapshot: () => late(said.snapshot()),
      readOneSession: (pick) => late(said.readOneSession(pick)),
    };
    const storing = { context: { cwd: repo.path, env: repo.env }, commonDir, objectFormat };
    const store = openAdmissionStore(slow, { ...storing, decided: context.decided });
    const reading = how === 'whole' ? store.snapshot() : store.readOneSession(() => session);
    await decideAndRecord(context, session, ({ tasks }) => {
      const [task] = tasks;
      const claim = { agentId: parseAgentId('worker-1a2b3c4d'), worktree: '/w', at: '', claimedBy: 'me', host: 'here' };
      return task?.status === 'pending' ? { steps: [claimTask(task, claim)] } : null;
    });
    go();
    const { tasks, received } = (await reading).admitted(session);
    assert.equal([tasks.map(({ id, status }) => `${id} ${status}`), received.length], [['a claimed', 'b pending'], 0]);
    assert.is((await viewSession(context, session)).tasks.length, 2);
  });

test.run();
