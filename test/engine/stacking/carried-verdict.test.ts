import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { isTrustedVerdict } from '../../../lib/core/admission/filter-untrusted.ts';
import { parseObjectId, parseTaskId } from '../../../lib/domain/ids.ts';
import type { Changeset } from '../../../lib/domain/state/changeset.ts';
import { hasAcceptedWork } from '../../../lib/domain/state/task-schema.ts';
import type { Verdict } from '../../../lib/domain/state/verdict.ts';
import { carryVerdict, findSameDiagnostics } from '../../../lib/engine/stacking/carry-over.ts';
import { filled, filling, openStack, roomFor, runStack, type StackBench, shared } from '../../support/stack.ts';
import { closeWorkshops } from '../../support/workshop.ts';

// STK-3, MRG-9: after a rebase that changed no file, what was judged is not judged again; any other is.

test.after(closeWorkshops);

const stack = ['a', 'b', 'c'].map((id) => ({ id }));
const check = 'npm test';

interface Ran {
  readonly bench: StackBench;
  /** The tree of each commit that the check ran on, in order. */
  readonly trees: readonly string[];
  readonly judged: readonly string[];
}

/** Three changesets, each upon the one before, that land one by one, by squash; `between` comes after the first. */
async function land(between: (bench: StackBench) => void = () => undefined, config = {}): Promise<Ran> {
  const trees: string[] = [];
  const judged: string[] = [];
  let asked = 0;
  const bench: StackBench = await openStack({
    tasks: stack,
    files: { [shared]: roomFor(['a', 'b', 'c']) },
    config: {
      project: { name: 'sample', base_branch: 'main', landing_style: 'squash' },
      roles: { worker: { adapter: 'exec' }, validator: { adapter: 'claude' } },
      validation: { validator_diagnostics: { enabled: true, commands: [check] } },
      ...config,
    },
    agent: (request, attempt) => {
      if (request.role !== 'validator') return filling(request, attempt);
      judged.push(request.task ?? '');
      return { answer: { status: 'pass', notes: 'Fine.', issues: [] } };
    },
    gates: {
      // The others wait, as where a person reviews one at a time.
      changeset: async () => {
        asked += 1;
        return asked === 2 || asked === 4 ? { kind: 'skip' } : { kind: 'approve' };
      },
      session: async () => {
        if (asked === 2) between(bench);
        return { kind: 'continue' };
      },
    },
  });
  const base = bench.repo.git('rev-parse', 'main^{tree}');
  const { agents } = bench.context;
  const context = {
    ...bench.context,
    agents: {
      ...agents,
      runCommand: (request: Parameters<typeof agents.runCommand>[0]) => {
        const tree = bench.repo.git('rev-parse', `${request.worktree.start}^{tree}`);
        // A run tries the base itself, too.
        if (tree !== base) trees.push(tree);
        return agents.runCommand(request);
      },
    },
  };
  await runStack({ ...bench, context: { ...context, reload: async () => context } });
  return { bench, trees, judged };
}

async function verdictOn({ bench }: Ran, commit: string | null) {
  const snapshot = await bench.context.store.snapshot();
  return commit === null ? undefined : snapshot.verdictsOn(parseObjectId(commit)).at(-1);
}

test('STK-3 after a squash landing, works and changesets with the same files keep what was found about them', async () => {
  const ran = await land();
  const { bench, trees, judged } = ran;
  assert.equal(filled(bench), ['a', 'b', 'c']);
  assert.equal([...judged].sort(), ['a', 'b', 'c']);
  // Each work and each changeset once, although both upper ones were rebased and built again.
  assert.is(trees.length, 6, trees.join());
  const c = await bench.task('c');
  const verdict = await verdictOn(ran, c.commit);
  // A verdict of its own on the new commit, which names the one that was judged, also after the second time.
  assert.equal([verdict?.status, verdict?.commit, verdict?.base], ['pass', c.commit, c.start_commit]);
  const from = verdict?.carried_from ?? '';
  const before = await verdictOn(ran, from);
  assert.equal([before?.commit, before?.carried_from, verdict?.evidence], [from, undefined, before?.evidence]);
  const tree = (commit: string): string => bench.repo.git('rev-parse', `${commit}^{tree}`);
  assert.equal([from === c.commit, tree(from)], [false, tree(`${c.commit}`)]);
  assert.equal([verdict?.by, verdict?.cost_usd], [before?.by, 0]);
});

test('STK-3 where the base has other files by then, all of it is judged again', async () => {
  const { bench, trees, judged } = await land(({ repo }) => {
    repo.write('other.txt', 'other\n');
    repo.commit('other');
  });
  assert.equal(filled(bench), ['a', 'b', 'c']);
  // Both changesets upon the new base, then the work of c there; its changeset came to the same files again.
  assert.is(trees.length, 9, trees.join());
  assert.equal([...judged].sort(), ['a', 'b', 'c', 'c']);
});

test('MRG-9 only what checks found here, by the configuration as it is, is carried over', async () => {
  const ran = await land();
  const { context } = ran.bench;
  const c = await ran.bench.task('c');
  const verdict = await verdictOn(ran, c.commit);
  if (verdict === undefined || !hasAcceptedWork(c)) throw new Error('c has no verdict');
  const carried = (other: Partial<Verdict>, config = context.configDigest): Promise<Verdict | null> =>
    carryVerdict({ ...context, configDigest: config }, { ...verdict, ...other }, c);
  assert.is((await carried({}))?.commit, c.commit);
  assert.is(await carried({}, 'another'), null);
  assert.is(await carried({ status: 'fail' }), null);
  assert.is(await carried({ override: 'It may.' }), null);
  assert.is(await carried({ by: context.gates.person }), null);
  assert.is(await carried({ task: parseTaskId('b') }), null);
  const [run] = verdict.diagnostics;
  if (run === undefined) throw new Error('nothing ran');
  assert.is(await carried({ diagnostics: [{ ...run, exit_code: 1 }] }), null);
  // As in another clone.
  assert.is(await carried({ carried_from: verdict.base }), null);
});

test('TRU-2 results, and what they were carried from, count as this clone wrote them alone', async () => {
  const ran = await land();
  const { context } = ran.bench;
  const { commit } = await ran.bench.task('c');
  const verdict = await verdictOn(ran, commit);
  const session = (await context.store.snapshot()).current;
  const now = session?.changesets.findLast(({ diagnosed }) => diagnosed !== undefined);
  if (verdict === undefined || session === null || session === undefined || now === undefined)
    throw new Error('nothing was carried over');
  assert.is(isTrustedVerdict(verdict, context.decided), true);
  for (const forged of [verdict.base, verdict.commit, undefined])
    assert.is(isTrustedVerdict({ ...verdict, carried_from: forged }, context.decided), false);
  // By hand in the session's note: red results made green, or results of another commit that was checked here.
  const found = (forged: (one: Changeset) => Partial<Changeset>) => {
    const changesets = session.changesets.map((one) => ({ ...one, ...forged(one) }));
    return findSameDiagnostics(context, { ...session, changesets }, now);
  };
  assert.is.not(await found(() => ({})), null);
  assert.is(await found((one) => ({ diagnostics: one.diagnostics.map((run) => ({ ...run, output: 'green' })) })), null);
  assert.is(await found(() => ({ diagnosed: session.changesets[0]?.commit ?? now.commit })), null);
});

test.run();
