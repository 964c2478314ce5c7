import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeExecProject, writeDecisions, writePlan } from '../support/exec-project.ts';
import { lineComment, makeFakeGh } from '../support/fake-gh.ts';
import { makeFakeGlab, thread } from '../support/fake-glab.ts';
import { flame, flameJson } from '../support/flame.ts';
import { start } from '../support/kill-rig.ts';
import { prepared, type TestRepo } from '../support/repo.ts';

// With pull_requests.per: changeset each changeset is shown in a request of its own, from a branch of its own.

const write = (id: string): string => `mkdir -p src && echo "${id} $FLAME_ATTEMPT" >> src/${id}.txt`;
const [one, two, upon] = [
  { id: 'one', script: write('one'), locks: ['src/one.txt'], group: 'one' },
  { id: 'two', script: write('two'), locks: ['src/two.txt'], group: 'two' },
  {
    id: 'upon',
    script: `${write('upon')}; echo more >> src/one.txt`,
    locks: ['src/upon.txt', 'src/one.txt'],
    group: 'upon',
    needs: ['one'],
  },
];
const tasks = [one, two, upon];

type Rig = Awaited<ReturnType<typeof rig>>;

const hostOf = (repo: TestRepo, forge: 'gh' | 'glab') => (forge === 'gh' ? makeFakeGh(repo) : makeFakeGlab(repo));

/** A session that was run to its end, its changesets in requests; `isApart`: without a remote, so that none is opened. */
const makeBegun = prepared(
  async (forge: 'gh' | 'glab', style: string, all: typeof tasks, isApart: boolean): Promise<TestRepo> => {
    const repo = makeExecProject({
      config: {
        project: { name: 'sample', base_branch: 'main', landing: 'branch', landing_style: style },
        pull_requests: { per: 'changeset', forge },
      },
    });
    const host = hostOf(repo, forge);
    host.set({});
    repo.git('push', '-q', 'origin', 'main');
    if (isApart) {
      repo.git('remote', 'rename', 'origin', 'away');
      repo.git('remote', 'add', 'other', 'nowhere');
    }
    const decisions = writeDecisions(repo, { plan: ['approve'], changesets: Array(4).fill('approve') });
    const argv = ['run', 'Greet', '--from', writePlan(repo, all), '--pr', '--decisions-file', decisions];
    const began = await flameJson(repo, argv, { env: host.env });
    if (!isApart) assert.is(began.code, 0, began.stdout + began.stderr);
    return repo;
  },
);

async function rig({
  forge = 'gh',
  style = 'merge',
  all = tasks,
  isApart = false,
}: {
  readonly forge?: 'gh' | 'glab';
  readonly style?: string;
  readonly all?: typeof tasks;
  readonly isApart?: boolean;
} = {}) {
  const repo = await makeBegun(forge, style, all, isApart);
  const host = hostOf(repo, forge);
  const run = (argv: readonly string[], decisions: Readonly<Record<string, readonly unknown[]>> = {}) =>
    flameJson(repo, [...argv, '--decisions-file', writeDecisions(repo, decisions)], { env: host.env });
  const there = (...args: readonly string[]): string => repo.git('--git-dir=.git/remote.git', ...args);
  const branch = (group: string): string =>
    repo.git('for-each-ref', '--format=%(refname:short)', `refs/heads/flame/*--${group}`);
  /** Files of a group's branch on the host. */
  const files = (group: string): string =>
    there('ls-tree', '-r', '--name-only', branch(group), 'src').replaceAll('\n', ' ').replace('src/a.txt ', '');
  /** As a person sees it. */
  const saying = async (argv: readonly string[]): Promise<string> => {
    const { stdout, stderr } = await flame(repo, argv, { env: host.env });
    return `${stdout}\n${stderr}`;
  };
  const creates = (): readonly (readonly string[])[] => host.calls().filter(([, verb]) => verb === 'create');
  return { repo, host, run, saying, there, branch, files, creates };
}

const wordAfter = (words: readonly string[], option: string): string => words[words.indexOf(option) + 1] ?? '';

for (const style of ['merge', 'squash', 'rebase'])
  test(`DSK-3 each changeset has a request of its own from a branch with its work alone, or into the one it stands on (${style})`, async () => {
    const { there, branch, files, creates, run } = await rig({ style });
    assert.equal(['one', 'two', 'upon'].map(files), ['src/one.txt', 'src/two.txt', 'src/one.txt src/upon.txt']);
    const into = new Map(creates().map((words) => [wordAfter(words, '--head'), wordAfter(words, '--base')]));
    assert.is(into.get(branch('one')), 'main');
    assert.is(into.get(branch('two')), 'main');
    assert.is(into.get(branch('upon')), branch('one'));
    const last = creates().find((words) => wordAfter(words, '--head') === branch('upon')) ?? [];
    assert.is(wordAfter(last, '--title'), 'upon: Do upon');
    const body = readFileSync(wordAfter(last, '--body-file'), 'utf8');
    assert.match(body, /Stacked on https:\/\/github\.example\/lea\/sample\/pull\/\d: merge that first/);
    assert.match(body, /\*\*upon\*\* Do upon/);
    assert.not.match(body, /\*\*one\*\*|\*\*two\*\*|Session: /);
    const heads = there('for-each-ref', '--format=%(refname:short)', 'refs/heads').split('\n');
    assert.equal(heads.sort(), [branch('one'), branch('two'), branch('upon'), 'main'].sort());
    assert.is(there('log', '--format=%s', '--grep', 'Do two', branch('upon')), '');
    const again = await run(['review', '--pr']);
    assert.is(again.code, 0, again.stdout + again.stderr);
    assert.is(creates().length, 3, 'each once');
  });

async function secondRound({ repo, run, there, branch, files }: Rig): Promise<void> {
  const before = there('rev-parse', branch('one'));
  const other = there('rev-parse', branch('two'));
  const taken = await run(['pr']);
  assert.is(taken.code, 0, taken.stdout + taken.stderr);
  assert.equal(taken.lines.at(-1)?.tasks, [{ id: 'one', remarks: 2, checks: 0 }]);
  assert.equal((await run(['pr'])).lines.at(-1)?.tasks, [], 'once');
  const landed = await run(['run', '--pr'], { session: ['continue'], changesets: ['approve'] });
  assert.is(landed.code, 0, landed.stdout + landed.stderr);
  assert.is(there('merge-base', before, branch('one')), before, 'it only grows');
  assert.is(there('show', `${branch('one')}:src/one.txt`), 'one 1\none 2');
  assert.is(files('one'), 'src/one.txt', 'nothing of the others came along');
  assert.is(there('log', '--format=%s', '--grep', 'Do two', branch('one')), '');
  assert.is(there('rev-parse', branch('two')), other);
  assert.is(repo.git('rev-parse', branch('one')), there('rev-parse', branch('one')));
}

test('DSK-3 what is said of one request comes to its tasks alone, and their next version to its branch', async () => {
  const all = await rig({ all: [one, two] });
  all.host.set({
    of: {
      7: { lines: [lineComment({ id: 11 })], talk: [{ ...lineComment({ id: 12 }), body: 'And all of it.' }] },
    },
  });
  await secondRound(all);
  assert.is(all.creates().length, 2);
});

test('DSK-3 by glab too: each merge request into what it stands on, what is said of one to its tasks', async () => {
  const all = await rig({ forge: 'glab', all: [one, two] });
  all.host.set({
    of: { 7: { threads: [thread({ id: 11 }, {}), thread({ id: 12, body: 'And all of it.' })] } },
  });
  await secondRound(all);
  assert.equal(
    all.creates().map((words) => wordAfter(words, '--target-branch')),
    ['main', 'main'],
  );
});

/** As a host does it by squash: one commit on its base branch, and none of those that were reviewed. */
function squashThere(repo: TestRepo, branch: string): void {
  repo.git('merge', '-q', '--squash', branch);
  repo.commit('Squashed there');
  repo.git('push', '-q', 'origin', 'main');
}

for (const how of ['squash', 'merge'])
  test(`DSK-3 one that was merged there by ${how} is landed, and what stands on it follows onto the base`, async () => {
    const { repo, host, run, there, branch, creates } = await rig();
    const numberOf = (group: string): number =>
      7 + creates().findIndex((words) => wordAfter(words, '--head') === branch(group));
    const before = there('rev-parse', branch('upon'));
    if (how === 'squash') squashThere(repo, branch('one'));
    else {
      repo.git('merge', '-q', '--no-ff', '-m', 'Merged there', branch('one'));
      repo.git('push', '-q', 'origin', 'main');
    }
    host.set({
      of: { [numberOf('one')]: { state: 'MERGED' }, [numberOf('two')]: { state: 'CLOSED' } } as never,
    });
    const done = await run(['review', '--pr']);
    assert.is(done.code, 0, done.stdout + done.stderr);
    assert.is(there('merge-base', before, branch('upon')), before, 'it only grows');
    assert.is(there('merge-base', 'main', branch('upon')), there('rev-parse', 'main'));
    assert.equal(there('diff', '--name-only', 'main', branch('upon')).split('\n'), ['src/one.txt', 'src/upon.txt']);
    assert.is(there('show', `${branch('upon')}:src/one.txt`), 'one 1\nmore');
    const edit = host.calls().findLast(([, verb]) => verb === 'edit') ?? [];
    assert.is(wordAfter(edit, '--base'), 'main');
    assert.is(edit[2], `https://github.example/lea/sample/pull/${numberOf('upon')}`);
    assert.is(creates().length, 3, 'the one that was closed is not opened again');
    assert.is((await run(['review', '--pr'])).code, 0);
    assert.is(host.calls().filter((words) => words.includes('--base') && words[1] === 'edit').length, 1);
  });

for (const point of ['branch pushed', 'request opened'])
  test(`DSK-3 after a kill at "${point}" each changeset has one request`, async () => {
    // Without a remote nothing is opened; then one is there.
    const { host, run, creates, there, branch, repo } = await rig({ isApart: true });
    assert.equal(creates(), []);
    repo.git('remote', 'remove', 'other');
    repo.git('remote', 'rename', 'away', 'origin');
    const env = { ...host.env, FLAME_TEST_KILL_AT: point };
    const killed = start(repo, ['review', '--pr'], env);
    assert.is(killed.signal, 'SIGKILL', killed.stderr);
    const again = await run(['review', '--pr']);
    assert.is(again.code, 0, again.stdout + again.stderr);
    assert.equal(
      creates()
        .map((words) => wordAfter(words, '--head'))
        .sort(),
      ['one', 'two', 'upon'].map(branch).sort(),
    );
    for (const group of ['one', 'two', 'upon'])
      assert.is(there('rev-parse', branch(group)), repo.git('rev-parse', branch(group)));
  });

test('DSK-3 a next version that needs what stands on it waits until that is merged, and is said', async () => {
  const { repo, host, run, there, branch, creates } = await rig();
  const numberOf = (group: string): number =>
    7 + creates().findIndex((words) => wordAfter(words, '--head') === branch(group));
  const [below, above] = [numberOf('one'), numberOf('upon')];
  const was = there('rev-parse', branch('one'));
  host.set({ of: { [below]: { lines: [lineComment({ id: 11 })] } } });
  await run(['pr']);
  const landed = await run(['run', '--pr'], { session: ['continue'], changesets: ['approve'] });
  assert.is(landed.code, 0, landed.stdout + landed.stderr);
  assert.match(landed.stdout, /2-one is not in \S+--one yet: .* conflicts in src\/one\.txt/);
  assert.is(there('rev-parse', branch('one')), was);
  squashThere(repo, branch('one'));
  host.set({ of: { [below]: { state: 'MERGED', head: was } } } as never);
  await run(['review', '--pr']);
  const head = there('rev-parse', branch('upon'));
  squashThere(repo, branch('upon'));
  host.set({ of: { [below]: { state: 'MERGED', head: was }, [above]: { state: 'MERGED', head } } } as never);
  const anew = await run(['review', '--pr']);
  assert.is(anew.code, 0, anew.stdout + anew.stderr);
  assert.is(there('show', `${branch('one')}:src/one.txt`), 'one 1\nmore\none 2');
  assert.is(there('diff', '--name-only', 'main', branch('one')), 'src/one.txt');
  assert.equal([creates().length, wordAfter(creates().at(-1) ?? [], '--head')], [4, branch('one')]);
});

/** The session's note as somebody with push rights may write it. */
function rewriteNote(repo: TestRepo, change: (text: string) => string): void {
  const ref = 'refs/blueflame/sessions';
  const env = { ...repo.env, GIT_INDEX_FILE: join(repo.path, '.git', 'forged-index') };
  const git = (args: readonly string[], input = ''): string =>
    execFileSync('git', args, { cwd: repo.path, env, input, encoding: 'utf8' }).trim();
  const listed = git(['ls-tree', '-r', '--name-only', ref]).split('\n');
  const path = listed.find((one) => !one.startsWith('anchors/')) ?? '';
  const before = git(['show', `${ref}:${path}`]);
  const after = change(before);
  assert.is.not(after, before);
  const blob = git(['hash-object', '-w', '--stdin'], after);
  git(['read-tree', ref]);
  git(['update-index', '--cacheinfo', `100644,${blob},${path}`]);
  git(['update-ref', ref, git(['commit-tree', '-p', ref, '-m', 'forged', git(['write-tree'])])]);
}

test('DSK-3 of what a note from elsewhere says, no other branch is moved or pushed', async () => {
  const { repo, host, run, there } = await rig({ all: [one, two] });
  repo.git('branch', 'private', 'main');
  repo.git('checkout', '-q', 'private');
  repo.write('secret.txt', 'mine');
  repo.commit('Mine alone');
  repo.git('checkout', '-q', 'main');
  rewriteNote(repo, (text) => text.replace(/"flame\/[^"]*--one"/, '"private"'));
  const refused = await run(['review', '--pr']);
  assert.is.not(refused.code, 0);
  assert.match(refused.stdout + refused.stderr, /private was moved to a commit that does not contain/);
  assert.not.match(there('for-each-ref', 'refs/heads'), /private/);
  assert.is(host.calls().filter(([, verb]) => verb === 'create').length, 2);
});

test('DSK-3 one request that somebody moved there is said with its next command, and keeps nothing from the others', async () => {
  const { repo, host, run, saying, branch } = await rig({ all: [one, two] });
  const before = repo.git('for-each-ref', 'refs/blueflame', 'refs/heads');
  const moved = { head: 'f'.repeat(40), lines: [lineComment({ id: 11 })] };
  host.set({ of: { 7: moved, 8: { ...moved } } });
  const none = await run(['pr']);
  assert.is(none.code, 1, none.stdout);
  const said = await saying(['pr', '--dry-run']);
  assert.match(said, /Another person moved \S+--one there to fffffff/);
  assert.ok(said.includes(`git fetch origin ${branch('one')}`), said);
  assert.is(repo.git('for-each-ref', 'refs/blueflame', 'refs/heads'), before);
  host.set({ of: { 7: moved, 8: { lines: [lineComment({ id: 12, path: 'src/two.txt' })] } } });
  const taken = await run(['pr']);
  assert.is(taken.code, 1, 'one of them is left');
  assert.equal(taken.lines.at(-1)?.tasks, [{ id: 'two', remarks: 1, checks: 0 }]);
  const landed = await run(['run', '--pr'], { session: ['continue'], changesets: ['approve'] });
  assert.is(landed.code, 0, landed.stdout + landed.stderr);
});

test('DSK-3 cleanup knows the branches of requests: what was merged goes, by squash as a rescue; what is open there stays', async () => {
  const { repo, host, run, branch } = await rig();
  const [merged, squashed, open] = [branch('two'), branch('one'), branch('upon')];
  repo.git('merge', '-q', '--no-ff', '-m', 'Merged there', merged);
  squashThere(repo, squashed);
  const states = { [merged]: { state: 'MERGED' }, [squashed]: { state: 'MERGED' } };
  const numberOf = (name: string): number =>
    7 +
    host
      .calls()
      .filter(([, verb]) => verb === 'create')
      .findIndex((words) => wordAfter(words, '--head') === name);
  host.set({
    of: Object.fromEntries(Object.entries(states).map(([name, state]) => [numberOf(name), state])),
  } as never);
  assert.is((await run(['review', '--pr'])).code, 0);
  const tip = repo.git('rev-parse', squashed);
  const planned = await run(['cleanup']);
  const names = ((planned.lines.at(-1)?.items ?? []) as { name: string }[]).map(({ name }) => name);
  assert.equal(
    [merged, squashed, open].map((name) => names.includes(`refs/heads/${name}`)),
    [true, true, false],
  );
  assert.is((await run(['cleanup', '--yes'])).code, 0);
  assert.equal([branch('two'), branch('one'), branch('upon')], ['', '', open]);
  assert.is(repo.git('for-each-ref', '--points-at', tip, '--format=x', 'refs/blueflame/rescue'), 'x');
  // Without them the session goes on as before.
  host.set({
    of: {
      ...Object.fromEntries(Object.entries(states).map(([name, state]) => [numberOf(name), state])),
      [numberOf(open)]: { lines: [lineComment({ id: 21, path: 'src/upon.txt' })] },
    },
  } as never);
  assert.equal((await run(['pr'])).lines.at(-1)?.tasks, [{ id: 'upon', remarks: 1, checks: 0 }]);
  const landed = await run(['run', '--pr'], { session: ['continue'], changesets: ['approve'] });
  assert.is(landed.code, 0, landed.stdout + landed.stderr);
  assert.is(repo.git('show', `${open}:src/upon.txt`), 'upon 1\nupon 2');
});

test('DSK-3 a branch that somebody else made, or moved, is not touched, and the others go on', async () => {
  const { repo, host, run, saying, branch, there } = await rig({ all: [one, two] });
  const was = repo.git('rev-parse', branch('one'));
  repo.git('branch', '-f', branch('one'), 'main');
  host.set({ of: { 8: { lines: [lineComment({ id: 12, path: 'src/two.txt' })] } } });
  assert.equal((await run(['pr'])).lines.at(-1)?.tasks, [{ id: 'two', remarks: 1, checks: 0 }]);
  const refused = await run(['run', '--pr'], { session: ['continue'], changesets: ['approve'] });
  assert.is(refused.code, 1, refused.stdout);
  const said = await saying(['review', '--pr']);
  assert.match(said, /--one was moved to a commit that does not contain its earlier one/);
  assert.ok(said.includes(`git branch -f ${branch('one')} ${was}`));
  assert.is(there('show', `${branch('two')}:src/two.txt`), 'two 1\ntwo 2');
  assert.equal(
    [repo.git('rev-parse', branch('one')), there('rev-parse', branch('one'))],
    [repo.git('rev-parse', 'main'), was],
  );
});

test.run();
