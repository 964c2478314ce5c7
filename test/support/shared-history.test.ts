import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeRepo, type TestRepo } from './repo.ts';
import { checkSharedHistory } from './shared-history.ts';

const session = 'ses-20260301-080000-00aa';

interface Version {
  readonly task?: Readonly<Record<string, unknown>>;
  readonly session?: Readonly<Record<string, unknown>>;
}

/** A remote whose notes went through these versions, and that keeps what its work was. */
function remoteOf(versions: (work: string) => readonly Version[], spoil: (repo: TestRepo) => void = () => undefined) {
  const repo = makeRepo();
  const work = repo.git('rev-parse', 'HEAD');
  const put = (kind: 'tasks' | 'sessions', place: string, note: unknown): void => {
    const ref = `refs/blueflame/${kind}`;
    repo.write('.git/text', place);
    const key = repo.git('hash-object', '-w', '.git/text');
    repo.write('.git/text', JSON.stringify(note));
    const body = repo.git('hash-object', '-w', '.git/text');
    repo.git('read-tree', '--empty');
    repo.git('update-index', '--add', '--cacheinfo', `100644,${key},anchors/${place}`);
    repo.git('update-index', '--add', '--cacheinfo', `100644,${body},${key.slice(0, 2)}/${key.slice(2)}`);
    const parent = repo.git('for-each-ref', '--format=%(objectname)', ref);
    const parents = parent === '' ? [] : ['-p', parent];
    repo.git('update-ref', ref, repo.git('commit-tree', repo.git('write-tree'), ...parents, '-m', 'step'));
  };
  put('sessions', session, { changesets: [] });
  for (const { task, session: note } of versions(work)) {
    if (task !== undefined) put('tasks', `${session}/task-001`, { ...plain, ...task });
    if (note !== undefined) put('sessions', session, { changesets: [], ...note });
  }
  repo.git('update-ref', `refs/blueflame/kept/${session}`, work);
  spoil(repo);
  return checkSharedHistory(repo, session);
}

const plain = { status: 'pending', agent_id: null, claimed_host: null, commit: null };
const claimed = (claim: number, agent = `w${claim}`) => ({
  ...{ status: 'claimed', claim, agent_id: agent, claimed_host: `host/${agent}` },
});
const done = (claim: number, commit: string, agent = `w${claim}`) => ({
  ...{ ...claimed(claim, agent), status: 'done', commit },
});
const merged = (claim: number, commit: string) => ({ ...done(claim, commit), status: 'merged' });
const led = (lead: string, term: number, rest: Readonly<Record<string, unknown>> = {}) => ({
  machines: { lead, term },
  ...rest,
});
const landing = (place: string, commit: string) => ({
  changesets: [{ landed_commit: commit }],
  checkout: { place, to: commit },
});

test('a sound history, with a claim that passed on and a lead that was taken over, has no problem', () => {
  const found = remoteOf((work) => [
    { task: {} },
    { session: led('a', 1), task: claimed(1) },
    { task: { claim: 1 } },
    { task: claimed(2) },
    { session: led('b', 2), task: done(2, work) },
    { session: led('b', 2, landing('b', work)), task: merged(2, work) },
  ]);
  assert.equal(found.problems, []);
  assert.equal([found.claims, found.merged, [...found.doneBy]], [2, 1, [['host/w2', 1]]]);
});

type Steps = (work: string) => readonly Version[];
const end = (work: string): readonly Version[] => [{ task: done(1, work) }, { task: merged(1, work) }];

const broken: readonly (readonly [string, Steps, RegExp])[] = [
  [
    'two holders of one claim',
    (work) => [{ task: {} }, { task: claimed(1) }, { task: claimed(1, 'x') }, ...end(work)],
    /x holds the claim of w1/,
  ],
  [
    'a claim without a number of its own',
    (work) => [
      { task: {} },
      { task: claimed(1) },
      { task: { claim: 1 } },
      { task: claimed(1, 'x') },
      { task: done(1, work, 'x') },
      { task: merged(1, work) },
    ],
    /claim 1 follows claim 1/,
  ],
  [
    'a number that is left out',
    (work) => [{ task: {} }, { task: claimed(2) }, { task: done(2, work) }, { task: merged(2, work) }],
    /claim 2 follows claim 0/,
  ],
  [
    'a number that falls',
    (work) => [{ task: {} }, { task: claimed(1) }, { task: { claim: 1 } }, { task: claimed(2) }, ...end(work)],
    /its claims went from 2 back to 1/,
  ],
  [
    'a number that rises by itself',
    (work) => [{ task: {} }, { task: claimed(1) }, { task: done(2, work, 'w1') }, { task: merged(2, work) }],
    /claim 2 came without being claimed/,
  ],
  [
    'a result of who was given up',
    (work) => [
      { task: {} },
      { task: claimed(1) },
      { task: { claim: 1 } },
      { task: claimed(2) },
      { task: done(2, work, 'w1') },
      { task: merged(2, work) },
    ],
    /w1 finished what w2 held/,
  ],
  ['a result that nobody had claimed', (work) => [{ task: {} }, ...end(work)], /done after pending/],
  [
    'other work that landed',
    (work) => [
      { task: {} },
      { task: claimed(1) },
      { task: done(1, work) },
      { task: merged(1, `${work.slice(0, -4)}0000`) },
    ],
    /what landed was not what was accepted/,
  ],
  [
    'work that landed twice',
    (work) => [{ task: {} }, { task: claimed(1) }, ...end(work), { task: done(1, work) }, { task: merged(1, work) }],
    /landed 2 times/,
  ],
  ['a task that is left over', () => [{ task: {} }, { task: claimed(1) }], /ended as claimed/],
  [
    'accepted work that is gone',
    (work) => [
      { task: {} },
      { task: claimed(1) },
      { task: done(1, `${work.slice(0, -4)}0000`) },
      { task: claimed(2) },
      { task: done(2, work) },
      { task: merged(2, work) },
    ],
    /accepted \w+0000 is lost/,
  ],
  [
    'two leads of one term',
    () => [{ session: led('a', 1), task: {} }, { session: led('b', 1) }],
    /term 1 of b follows term 1 of a/,
  ],
  [
    'a term that falls',
    () => [{ session: led('a', 2), task: {} }, { session: led('a', 1) }],
    /its terms went from 2 back to 1/,
  ],
  [
    'a term without another lead',
    () => [{ session: led('a', 1), task: {} }, { session: led('a', 2) }],
    /term 2 began with who led before/,
  ],
  [
    'a landing by who led before',
    (work) => [
      { session: led('a', 1), task: {} },
      { session: led('b', 2) },
      { session: led('b', 2, landing('a', work)) },
    ],
    /a landed in the term of b/,
  ],
];

for (const [name, steps, problem] of broken)
  test(`a history is found broken: ${name}`, () => {
    const { problems } = remoteOf(steps);
    assert.ok(
      problems.some((text) => problem.test(text)),
      problems.join('\n') || 'nothing was found',
    );
  });

test('a base without what landed, a sign of life and commits that nothing keeps are found', () => {
  const whole: Steps = (work) => [{ task: {} }, { task: claimed(1) }, ...end(work)];
  const spoils: readonly (readonly [(repo: TestRepo) => void, RegExp])[] = [
    [
      (repo) => repo.git('update-ref', 'refs/heads/main', repo.git('commit-tree', 'HEAD^{tree}', '-m', 'other')),
      /main does not hold/,
    ],
    [(repo) => repo.git('update-ref', `refs/blueflame/machines/${session}/a`, 'HEAD'), /signs of life are left/],
    [(repo) => repo.git('update-ref', '-d', `refs/blueflame/kept/${session}`), /commits are kept by nothing/],
  ];
  for (const [spoil, problem] of spoils) {
    const { problems } = remoteOf(whole, spoil);
    assert.is(problems.length, 1, problems.join('\n'));
    assert.match(problems[0] ?? '', problem);
  }
});

test.run();
