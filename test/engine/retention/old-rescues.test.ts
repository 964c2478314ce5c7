import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseObjectId, parseTaskId } from '../../../lib/domain/ids.ts';
import { endSession } from '../../../lib/engine/end-session.ts';
import { type CleanupConsent, performCleanup } from '../../../lib/engine/retention/cleanup-perform.ts';
import { listCleanupItems } from '../../../lib/engine/retention/cleanup-plan.ts';
import { keepCommitAsRescue } from '../../../lib/engine/retention/rescue-refs.ts';
import { closeWorkshops, openTestWorkshop, startOfTime, type TestWorkshop } from '../../support/workshop.ts';

test.after(closeWorkshops);

const task = parseTaskId('a');
const planned = [{ id: task, title: 'Do a', description: 'Do it.', file_locks: ['**'] }];

/** Keeps a rescue that adds a file, put away so many days ago. */
async function keep({ repo, context, session }: TestWorkshop, file: string, days: number): Promise<void> {
  const start = repo.git('rev-parse', 'main');
  const at = new Date(startOfTime - days * 86_400_000).toISOString();
  repo.git('switch', '-q', '--detach', start);
  repo.write(file, `${file}\n`);
  const message = `rescue: a by worker-1a2b3c4d\n\nWhy.\n\nStart: ${start}\nRescued-At: ${at}\n`;
  await keepCommitAsRescue(context, { session, task }, parseObjectId(repo.commit(message)));
  repo.git('switch', '-q', 'main');
}

function held({ repo }: TestWorkshop): string {
  const refs = repo.git('for-each-ref', '--format=%(refname)', 'refs/blueflame/rescue').split('\n');
  return refs.flatMap((ref) => repo.git('ls-tree', '--name-only', ref).match(/^kept-.*$/gm) ?? []).join(' ');
}

async function clean({ context }: TestWorkshop, words: CleanupConsent): Promise<readonly string[]> {
  const done = await performCleanup(context, await listCleanupItems(context), words);
  return done.map(({ outcome, details }) => `${outcome} ${details.replace(/[0-9a-f]{40}/, 'ID')}`);
}

test('CLN-3 LIF-7 an old rescue goes only where a person says so, a young one never, what is on the base at once', async () => {
  const bench = await openTestWorkshop({ agent: () => ({}), tasks: planned });
  await keep(bench, 'kept-old', 91);
  await keep(bench, 'kept-young', 89);
  await keep(bench, 'kept-on-main', 1);
  bench.repo.write('kept-on-main', 'kept-on-main\n');
  bench.repo.write('other', 'other\n');
  bench.repo.commit('the same by another way');
  const named = async () => (await listCleanupItems(bench.context)).map(({ kind, why }) => `${kind}: ${why}`);
  // The session is open.
  assert.equal(await named(), []);
  assert.equal(await clean(bench, { isForced: true, includesRescues: true }), []);
  await endSession(bench.context, bench.session, 'the test says so');
  assert.equal(await named(), ['rescue: kept on 2025-11-07, and held by no branch', 'rescue: all of it is on main']);
  const removed = 'removed until the next git gc it can be restored: git branch rescued ID';
  assert.equal(await clean(bench, { isForced: true, includesRescues: false }), [removed]);
  assert.is(held(bench), 'kept-old kept-young');
  assert.equal(await clean(bench, { isForced: false, includesRescues: true }), [removed]);
  assert.is(held(bench), 'kept-young');
});

test('CLN-3 a branch kept as it was is as old as its session, however old its commits', async () => {
  const bench = await openTestWorkshop({ agent: () => ({}), tasks: planned });
  const { repo, context, session } = bench;
  const who = 'Lea Lead <lea@example.com> 1000000000 +0000';
  const tree = repo.git('rev-parse', 'main^{tree}');
  repo.write('.git/old-commit', `tree ${tree}\nauthor ${who}\ncommitter ${who}\n\nby hand\n`);
  const commit = parseObjectId(repo.git('hash-object', '-t', 'commit', '-w', '.git/old-commit'));
  await keepCommitAsRescue(context, { session, task }, commit);
  await endSession(context, session, 'the test says so');
  const kinds = async (days: number): Promise<readonly string[]> => {
    const now = (): Date => new Date(startOfTime + days * 86_400_000);
    return (await listCleanupItems({ ...context, now })).map(({ kind }) => kind);
  };
  assert.equal(await kinds(89), []);
  assert.equal(await kinds(91), ['rescue']);
});

test.run();
