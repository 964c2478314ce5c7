import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { toCheckoutDecision } from '../../../lib/core/admission/make-decisions.ts';
import { type ObjectId, parseObjectId } from '../../../lib/domain/ids.ts';
import { viewSession } from '../../../lib/engine/record-changes.ts';
import { syncWorktreesToLanding } from '../../../lib/engine/review/sync-worktrees.ts';
import type { TestRepo } from '../../support/repo.ts';
import { closeWorkshops, openTestWorkshop } from '../../support/workshop.ts';

test.after(closeWorkshops);

/** A session that says its base is still to be brought along, in a clone called `here`; main is where `landed` says. */
async function makeCut(place: string, isLanded: boolean, meanwhile = (_: TestRepo): void => undefined) {
  const bench = await openTestWorkshop({
    tasks: [{ id: 'a', title: 'Do a', description: 'Do it.' }],
    agent: () => ({}),
  });
  const { repo, context, session } = bench;
  const from = parseObjectId(repo.git('rev-parse', 'HEAD'));
  repo.write('src/a.txt', 'landed\n');
  const to = parseObjectId(repo.commit('landed'));
  repo.git('reset', '-q', '--hard', from);
  if (isLanded) repo.git('update-ref', 'refs/heads/main', to, from);
  const checkout: { from: ObjectId; to: ObjectId; place: string } = { from, to, place };
  const { session: stored } = await viewSession(context, session);
  context.decided.record([toCheckoutDecision(stored, checkout)]);
  await context.store.transact(({ sessions: [now] }) =>
    now === undefined ? null : { changes: [{ subject: 'landed', session: { ...now, checkout } }], actor: 'test' },
  );
  meanwhile(repo);
  const told = await syncWorktreesToLanding(context, session);
  const left = (await context.store.snapshot()).sessions[0]?.checkout ?? null;
  return { repo, told, left, file: readFileSync(join(repo.path, 'src/a.txt'), 'utf8'), events: bench.events };
}

test('what a kill left undone here is done', async () => {
  const { told, left, file } = await makeCut('here', true);
  assert.equal([told, left, file], [true, null, 'landed\n']);
});

test('STA-4 a session that came from another clone moves no work tree here, and that clone is left to finish', async () => {
  for (const isLanded of [true, false]) {
    const { told, left, file } = await makeCut('elsewhere', isLanded);
    assert.equal([told, left?.place, file], [false, 'elsewhere', 'a\n']);
  }
});

test('MRG-5 a base that somebody moved since is left alone, and said', async () => {
  const { told, left, file, events } = await makeCut('here', false);
  assert.equal([told, left, file], [false, null, 'a\n']);
  assert.ok(events.some((event) => event.event === 'notice' && /main has moved since/.test(event.message)));
});

test('MRG-5 a commit by hand that takes the landing back, for its files were those from before, is told of', async () => {
  for (const isAll of [true, false]) {
    const { repo, events } = await makeCut('here', true, (made) => {
      if (!isAll) made.git('read-tree', '-u', '--reset', 'HEAD');
      made.write('other.txt', 'by hand\n');
      made.commit('by hand');
    });
    const details = events.flatMap((event) => (event.event === 'notice' ? (event.details ?? []) : []));
    assert.is(details.length, isAll ? 2 : 0);
    if (!isAll) continue;
    assert.match(details[0] ?? '', 'it undoes the landing');
    const again =
      /git diff \S+ \S+/
        .exec(details[1] ?? '')?.[0]
        .split(' ')
        .slice(1) ?? [];
    assert.match(repo.git(...again), '+landed');
  }
});

test.run();
