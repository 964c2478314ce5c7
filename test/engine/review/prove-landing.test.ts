import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { FlameError } from '../../../lib/domain/flame-error.ts';
import { type ObjectId, parseObjectId } from '../../../lib/domain/ids.ts';
import type { ChangesetDecision } from '../../../lib/domain/ports/changeset-question.ts';
import type { Snapshot, StateChange } from '../../../lib/domain/ports/store-port.ts';
import type { Changeset } from '../../../lib/domain/state/changeset.ts';
import { chooseOtherAttemptByHand } from '../../../lib/engine/manual/choose-attempt.ts';
import { runMergeWave } from '../../../lib/engine/merge/merge-wave.ts';
import { askToAcceptReceived } from '../../../lib/engine/plan/accept-received.ts';
import { viewSession } from '../../../lib/engine/record-changes.ts';
import { runReviewWave } from '../../../lib/engine/review/review-wave.ts';
import { undoChangesetDecision } from '../../../lib/engine/review/undo-changeset-decision.ts';
import type { RunContext } from '../../../lib/engine/run-context.ts';
import { runSession } from '../../../lib/engine/run-session.ts';
import { runValidateWave } from '../../../lib/engine/validate/validate-wave.ts';
import { runWorkWave } from '../../../lib/engine/work/work-wave.ts';
import type { TestRepo } from '../../support/repo.ts';
import { alterTask } from '../../support/tasks.ts';
import { closeWorkshops, openTestWorkshop, type TestWorkshop } from '../../support/workshop.ts';

// TRU-2: what lands is what this clone merged of work it judged, whatever its notes say.

test.after(closeWorkshops);

interface Bench extends TestWorkshop {
  /** What the diagnostic ends with from now on. */
  ends(exitCode: number): void;
  /** How often it was run. */
  runs(): number;
  /** Happens once, while it runs the next time. */
  during(work: () => Promise<unknown>): void;
  changesets(): Promise<readonly Changeset[]>;
}

/** A session whose worker writes one file, whose checks alone judge, and whose person answers so. */
async function openBench(
  decision: ChangesetDecision = { kind: 'approve' },
  more: Readonly<Record<string, unknown>> = {},
): Promise<Bench> {
  let exitCode = 0;
  let runs = 0;
  let meanwhile = async (): Promise<unknown> => undefined;
  const bench = await openTestWorkshop({
    config: {
      roles: { worker: { adapter: 'exec' } },
      validation: { validator_diagnostics: { commands: ['check'] } },
    },
    tasks: [{ id: 'a', title: 'Do a', description: 'Do it.', priority: 1, file_locks: ['src/new.txt'], ...more }],
    gates: { changeset: async () => decision },
    agent: ({ worktree, id }) => {
      const file = join(worktree.path, 'src/new.txt');
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, more.attempts === undefined ? 'new\n' : `${id}\n`);
      return {};
    },
  });
  const agents = {
    ...bench.context.agents,
    runCommand: async () => {
      runs += 1;
      const work = meanwhile;
      meanwhile = async () => undefined;
      await work();
      return { exitCode, timedOut: false, duration_ms: 1.5, output: 'said \ud800 and more' };
    },
  };
  const context: RunContext = { ...bench.context, agents, reload: async () => context };
  return {
    ...bench,
    context,
    ends: (code) => {
      exitCode = code;
    },
    runs: () => runs,
    during: (work) => {
      meanwhile = work;
    },
    changesets: async () => (await viewSession(context, bench.session)).session.changesets,
  };
}

async function upToMerge({ context, session }: Bench): Promise<void> {
  await runWorkWave(context, session);
  await runValidateWave(context, session);
  await runMergeWave(context, session);
}

/** Writes notes as any program with push rights can. */
async function forge({ said, context }: Bench, change: (state: Snapshot) => readonly StateChange[]): Promise<void> {
  await said.transact((state) => ({ changes: change(state), actor: context.gates.person }));
}

/** Nothing is done with it before a person says so; this one does. */
async function acceptForged({ context, session }: Bench): Promise<void> {
  const { tasks, received } = await viewSession(context, session);
  assert.equal([tasks.length, received.length], [0, 1]);
  const gates = { ...context.gates, plan: async () => ({ kind: 'approve' as const }) };
  await askToAcceptReceived({ ...context, gates }, session);
}

/** A commit on another one that brings a file, made without a branch. */
function commitOn(repo: TestRepo, parent: string, path: string): ObjectId {
  repo.git('checkout', '-q', '--detach', parent);
  repo.write(path, 'exit\n');
  const commit = repo.commit('feat: more');
  repo.git('checkout', '-q', 'main');
  return parseObjectId(commit);
}

function codeOf(run: Promise<unknown>): Promise<unknown> {
  return run.then(
    () => null,
    (error: unknown) => (error instanceof FlameError ? error.code : error),
  );
}

test('TRU-2 what this clone merged and proved lands without another run of its checks', async () => {
  const bench = await openBench();
  await upToMerge(bench);
  const before = bench.runs();
  assert.equal(await runReviewWave(bench.context, bench.session), { landed: 1, refused: 0 });
  assert.is(bench.runs(), before);
  assert.is(bench.repo.git('show', 'main:src/new.txt'), 'new');
});

test('TRU-2 a changeset of other rules is proven again, and one that is red then waits for a reason', async () => {
  const bench = await openBench();
  await upToMerge(bench);
  const { repo, session } = bench;
  const base = repo.git('rev-parse', 'main');
  const context = { ...bench.context, configDigest: 'sha256:other' };
  bench.ends(1);
  const before = bench.runs();
  assert.equal(await runReviewWave(context, session), { landed: 0, refused: 1 });
  assert.is(bench.runs(), before + 1);
  assert.is(repo.git('rev-parse', 'main'), base);
  const [changeset] = await bench.changesets();
  assert.equal([changeset?.state, changeset?.diagnostics[0]?.exit_code], ['waiting', 1]);
  assert.is(await codeOf(runReviewWave(context, session)), 'needs-override');
  const gates = {
    ...context.gates,
    changeset: async () => ({ kind: 'approve' as const, override: 'known to fail' }),
  };
  assert.equal(await runReviewWave({ ...context, gates }, session), { landed: 1, refused: 0 });
});

for (const [ends, word] of [
  [0, 'green'],
  [1, 'red'],
] as const)
  test(`RND-4 another attempt that is chosen while a landing is proven ${word} is not landed, nor sent back`, async () => {
    const bench = await openBench({ kind: 'approve' }, { attempts: 2 });
    await upToMerge(bench);
    const { repo, session } = bench;
    const base = repo.git('rev-parse', 'main');
    const context = { ...bench.context, configDigest: 'sha256:other' };
    const [before] = (await viewSession(context, session)).tasks;
    const other = 1 + (before?.tries ?? []).findIndex(({ chosen }) => chosen !== true);
    bench.ends(ends);
    bench.during(() => chooseOtherAttemptByHand(context, session, { task: 'a', attempt: other }));
    assert.equal(await runReviewWave(context, session), { landed: 0, refused: 1 });
    assert.is(repo.git('rev-parse', 'main'), base);
    const view = await viewSession(context, session);
    const [task] = view.tasks;
    assert.equal([task?.status, task?.commit], ['done', before?.tries?.[other - 1]?.work?.commit]);
    assert.is(view.session.changesets[0]?.state, 'void');
    const refused = bench.events.filter(({ event }) => event === 'landing-refused');
    assert.equal(
      refused.map((event) => ('why' in event ? event.why : '')),
      ['a has a new commit'],
    );
  });

test('DSK-2 an approval that is taken back while its landing is proven lands nothing', async () => {
  const bench = await openBench();
  await upToMerge(bench);
  const { repo, session } = bench;
  const base = repo.git('rev-parse', 'main');
  const context = { ...bench.context, configDigest: 'sha256:other' };
  bench.during(() => undoChangesetDecision(context, session, '1-main'));
  const gates = { ...context.gates, changeset: async () => ({ kind: 'approve' as const }) };
  assert.equal(await runReviewWave({ ...context, gates }, session), { landed: 0, refused: 1 });
  assert.is(repo.git('rev-parse', 'main'), base);
  assert.is((await bench.changesets())[0]?.state, 'waiting');
  assert.equal(await runReviewWave({ ...context, gates }, session), { landed: 1, refused: 0 });
});

test('TRU-2 a changeset whose commit holds more than its tasks brought is built again without that', async () => {
  const bench = await openBench();
  await upToMerge(bench);
  const { repo, context, session } = bench;
  const [built] = await bench.changesets();
  assert.ok(built);
  const commit = commitOn(repo, built.commit, 'BACKDOOR.sh');
  await forge(bench, ({ current }) =>
    current === null
      ? []
      : [
          {
            subject: 'forged',
            session: { ...current, changesets: [{ ...built, commit, state: 'approved' }] },
          },
        ],
  );
  assert.is((await bench.changesets())[0]?.state, 'void');
  assert.equal(await runReviewWave(context, session), { landed: 0, refused: 0 });
  await runSession(context, session, { plan: null, wantsTalk: false });
  assert.is(repo.git('ls-tree', '-r', '--name-only', 'main'), 'README.md\nsrc/a.txt\nsrc/new.txt');
});

test("TRU-2 work that was put in the place of a task's own is judged by the rules before it lands", async () => {
  const bench = await openBench();
  await upToMerge(bench);
  const { repo, context, session } = bench;
  const base = repo.git('rev-parse', 'main');
  const [task] = (await viewSession(context, session)).tasks;
  assert.ok(task?.commit);
  const commit = commitOn(repo, task.commit, 'BACKDOOR.sh');
  await forge(bench, ({ current }) =>
    current === null
      ? []
      : [
          { subject: 'forged', tasks: [{ ...task, commit }] },
          { subject: 'forged', session: { ...current, changesets: [] } },
        ],
  );
  await acceptForged(bench);
  await runValidateWave(context, session);
  await runMergeWave(context, session);
  assert.equal(await runReviewWave(context, session), { landed: 0, refused: 1 });
  assert.is(repo.git('rev-parse', 'main'), base);
  const [again] = (await viewSession(context, session)).tasks;
  assert.ok(again);
  assert.is(again.status, 'requeued');
  assert.match(again.history.at(-1)?.notes ?? '', /BACKDOOR\.sh/);
});

test('TRU-2 a start that only calls itself one brings nothing along', async () => {
  const bench = await openBench();
  await runWorkWave(bench.context, bench.session);
  const { repo, context, session } = bench;
  const [task] = (await viewSession(context, session)).tasks;
  assert.ok(task);
  repo.git('checkout', '-q', '--detach', 'main');
  repo.write('BACKDOOR.sh', 'exit\n');
  const start = parseObjectId(repo.commit('Start of a: the work of b on main'));
  repo.git('checkout', '-q', 'main');
  const commit = commitOn(repo, start, 'src/new.txt');
  await forge(bench, () => [{ subject: 'forged', tasks: [alterTask(task, { commit, start_commit: start })] }]);
  await acceptForged(bench);
  await runValidateWave(context, session);
  await runMergeWave(context, session);
  const [built] = await bench.changesets();
  assert.ok(built);
  assert.is(repo.git('ls-tree', '-r', '--name-only', built.commit).includes('BACKDOOR'), false);
  assert.is(repo.git('log', '--format=%s', `main..${built.commit}`).includes('Start of a'), false);
});

test('LIF-4 a step whose notes change while nothing follows from them is not repeated for ever', async () => {
  const bench = await openBench();
  const { context, session } = bench;
  const { decided } = context;
  const deaf = {
    ...decided,
    has: (decision: Parameters<typeof decided.has>[0]) => decision.kind !== 'verdict' && decided.has(decision),
  };
  bench.admitBy({ decided: deaf });
  assert.is(
    await codeOf(runSession({ ...context, decided: deaf }, session, { plan: null, wantsTalk: false })),
    'no-progress',
  );
  assert.ok(bench.runs() <= 4, `${bench.runs()} runs`);
});

test.run();
