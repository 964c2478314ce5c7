import { writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { FlameError } from '../../../lib/domain/flame-error.ts';
import { viewSession } from '../../../lib/engine/record-changes.ts';
import { recoverSession } from '../../../lib/engine/recover-session.ts';
import { runWorkWave } from '../../../lib/engine/work/work-wave.ts';
import { addToRecord } from '../../../lib/git/cells/cell-record.ts';
import { openGit } from '../../../lib/git/open-git.ts';
import { ownIdentity } from '../../../lib/util/process-identity.ts';
import { closeWorkshops, openTestWorkshop } from '../../support/workshop.ts';

test.after(closeWorkshops);

test('LIF-3 work of a finished agent that a stop leaves unjudged keeps its claim, and is taken in by the next start', async () => {
  const stop = new AbortController();
  const { context, session, started, repo } = await openTestWorkshop({
    tasks: [{ id: 'a', title: 'Do a', description: 'Do it.', priority: 1, file_locks: ['new.txt'] }],
    config: { roles: { worker: { adapter: 'exec' } } },
    stop: stop.signal,
    // Its end is noted by then, and nothing is judged yet.
    onEvent: ({ event }) => event === 'agent-ended' && stop.abort(),
    agent: ({ worktree }) => {
      writeFileSync(join(worktree.path, 'new.txt'), 'by an agent\n');
      return { cost_usd: 0.25, tokens: 100 };
    },
  });
  const stopped = await runWorkWave(context, session).then(
    () => null,
    (error: unknown) => error,
  );
  if (!(stopped instanceof FlameError)) throw new Error('it was not stopped');
  assert.is(stopped.code, 'interrupted');
  assert.match(stopped.message, /The next run continues there/);
  const [task] = (await viewSession(context, session)).tasks;
  assert.is(task?.status, 'claimed');
  assert.is(task?.history.length, 0, 'no attempt has ended');
  const [cell] = await context.git.cells();
  assert.is(cell?.path, task?.worktree);
  assert.ok(cell?.ended);
  // The process is gone.
  const { commonDir } = context.git.repository;
  const root = join(commonDir, 'blueflame', 'cells', basename(cell?.path ?? ''));
  addToRecord(root, { owner: { ...ownIdentity(), start: 'another time' } });

  const git = await openGit({ cwd: repo.path, env: repo.env });
  const next = { ...context, git, signal: new AbortController().signal };
  await recoverSession(next, session);
  const view = await viewSession(next, session);
  await git.close();
  assert.is(view.tasks[0]?.status, 'done');
  assert.is(started.length, 1, 'nobody was paid again');
  assert.equal([view.session.cost_usd, view.session.tokens], [0.25, 100]);
});

test.run();
