import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { FlameError } from '../../../lib/domain/flame-error.ts';
import type { LineComment } from '../../../lib/domain/state/line-comment.ts';
import { runMergeWave } from '../../../lib/engine/merge/merge-wave.ts';
import { viewSession } from '../../../lib/engine/record-changes.ts';
import { decideChangesetOutOfTurn } from '../../../lib/engine/review/perform-changeset-decision.ts';
import { runReviewWave } from '../../../lib/engine/review/review-wave.ts';
import type { RunContext } from '../../../lib/engine/run-context.ts';
import { runValidateWave } from '../../../lib/engine/validate/validate-wave.ts';
import { runWorkWave } from '../../../lib/engine/work/work-wave.ts';
import { closeWorkshops, openTestWorkshop, type TestWorkshop } from '../../support/workshop.ts';

test.after(closeWorkshops);

// Put together here, so that no scanner takes this file for a leak.
const credential = `ghp_${'a1B2c3D4e5F6g7H8i9J0'.repeat(2).slice(0, 36)}`;

interface Bench extends TestWorkshop {
  /** How often the checks were run. */
  runs(): number;
  suggest(...comments: readonly LineComment[]): Promise<unknown>;
}

/** A changeset of one task that wrote five lines, and waits. */
async function openWaiting(): Promise<Bench> {
  const bench = await openTestWorkshop({
    config: {
      roles: { worker: { adapter: 'exec' } },
      validation: { validator_diagnostics: { commands: ['check'] } },
    },
    tasks: [{ id: 'a', title: 'Do a', description: 'Do it.', priority: 1, file_locks: ['src/new.txt'] }],
    gates: { changeset: async () => ({ kind: 'approve' }) },
    agent: ({ worktree }) => {
      const file = join(worktree.path, 'src/new.txt');
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, 'one\ntwo\nthree\nfour\nfive\n');
      return {};
    },
  });
  let runs = 0;
  const agents = {
    ...bench.context.agents,
    runCommand: async () => {
      runs += 1;
      return { exitCode: 0, timedOut: false, duration_ms: 1.5, output: '' };
    },
  };
  const context: RunContext = { ...bench.context, agents, reload: async () => context };
  const { session } = bench;
  for (const wave of [runWorkWave, runValidateWave, runMergeWave]) await wave(context, session);
  const waiting = async (): Promise<string> => {
    const { changesets } = (await viewSession(context, session)).session;
    return changesets.find(({ state }) => state === 'waiting')?.id ?? 'none';
  };
  const suggest = async (...comments: readonly LineComment[]): Promise<unknown> =>
    decideChangesetOutOfTurn(context, session, await waiting(), { kind: 'suggest', comments }).then(
      () => 'applied',
      (error: unknown) => (error instanceof FlameError ? error.code : error),
    );
  return { ...bench, context, runs: () => runs, suggest };
}

const on = (line: number, lines: string, more: Partial<LineComment> = {}): LineComment => ({
  ...{ path: 'src/new.txt', side: 'new', line, text: `Better:\n\`\`\`suggestion\n${lines}\`\`\`` },
  ...more,
});

test('DSK-2 what a person suggests becomes a commit of their own, is checked, and lands once it is approved', async () => {
  const { context, session, repo, suggest, runs } = await openWaiting();
  const commitOf = async () => (await viewSession(context, session)).tasks[0]?.commit;
  const [before, checked] = [await commitOf(), runs()];
  assert.is(await suggest(on(4, ''), on(2, '2\n2b\n', { to: 3 })), 'applied');
  const after = await commitOf();
  assert.is(repo.git('rev-parse', `${after}^`), before);
  assert.is(
    repo.git('show', '-s', '--format=%an <%ae> %s', `${after}`),
    `${context.gates.person} Apply a suggestion to src/new.txt`,
  );
  const view = await viewSession(context, session);
  assert.equal(
    view.session.changesets.map(({ state }) => state),
    ['void'],
  );
  assert.is(view.tasks[0]?.result.status, null);
  for (const wave of [runValidateWave, runMergeWave, runReviewWave]) await wave(context, session);
  assert.ok(runs() > checked);
  assert.is(repo.git('show', 'main:src/new.txt'), 'one\n2\n2b\nfive');
});

test('DSK-2 a suggestion for other lines than those that are there, or against the rules, changes nothing', async () => {
  const { context, session, suggest } = await openWaiting();
  const seen = async (): Promise<unknown> => {
    const { session: now, tasks } = await viewSession(context, session);
    return [now.changesets.map(({ state, commit }) => [state, commit]), tasks.map(({ rev }) => rev)];
  };
  const before = await seen();
  assert.equal(
    [
      await suggest(on(9, 'x\n')),
      await suggest(on(5, 'x\n', { to: 6 })),
      await suggest(on(1, 'x\n', { path: 'src/a.txt' })),
      await suggest(on(1, 'x\n', { side: 'old' })),
      await suggest({ path: 'src/new.txt', side: 'new', line: 1, text: 'no block' }),
      await suggest(on(1, 'x\n', { to: 3 }), on(2, 'y\n')),
      await suggest(on(1, `key = "${credential}"\n`)),
    ],
    [
      'suggestion-moved',
      'suggestion-moved',
      'suggestion-moved',
      'no-suggestion',
      'no-suggestion',
      'suggestions-overlap',
      'suggestion-refused',
    ],
  );
  assert.equal(await seen(), before);
});

test.run();
