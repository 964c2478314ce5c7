import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  buildEvidence,
  compareEvidence,
  hashText,
  listEvidenceDoubts,
  renderTextToHash,
} from '../../lib/core/changesets/build-evidence.ts';
import type { DiagnosticsRerun } from '../../lib/domain/state/verdict.ts';
import { makeOid, makePassed, makeVerdict, testSession, testTime } from '../support/tasks.ts';

type Facts = Parameters<typeof buildEvidence>[0];

function facts(changed: Partial<Facts> = {}): Facts {
  return {
    summary: 'Adds a greeting.',
    tree: makeOid('tree'),
    files: [
      { path: 'src/b.ts', mode: '100644', blob: makeOid('b') },
      { path: 'src/a.ts', mode: '100755', blob: makeOid('a') },
    ],
    commands: [{ command: 'npm test', exit_code: 0, output_hash: hashText('ok in 12 ms') }],
    ...changed,
  };
}

test('WFL-2: the verification hash is over what is deterministic alone', () => {
  const { verification_hash: hash, files } = buildEvidence(facts());
  assert.match(hash, /^sha256:[0-9a-f]{64}$/);
  assert.equal(
    files.map(({ path }) => path),
    ['src/a.ts', 'src/b.ts'],
  );
  const output = hashText('ok in 99 ms');
  const same = [
    facts({ summary: 'Other words.' }),
    facts({ files: facts().files.toReversed() }),
    facts({ commands: [{ command: 'npm test', exit_code: 0, output_hash: output }] }),
    facts({ commands: [{ command: 'npm test', exit_code: 0, output_hash: null }] }),
  ];
  for (const again of same) assert.is(buildEvidence(again).verification_hash, hash);
  const others = [
    facts({ tree: makeOid('other') }),
    facts({ files: facts().files.slice(1) }),
    facts({ files: facts().files.map((file) => ({ ...file, mode: '100644' })) }),
    facts({ commands: [{ command: 'npm test', exit_code: 1, output_hash: null }] }),
    facts({ commands: [{ command: 'npm run test', exit_code: 0, output_hash: null }] }),
    facts({ commands: [] }),
    facts({ commands: [{ command: 'SEED=7 npm test', exit_code: 0, output_hash: null }] }),
  ].map((other) => buildEvidence(other).verification_hash);
  assert.is(new Set([hash, ...others]).size, others.length + 1);
});

test('WFL-2: what is hashed is canonical JSON: keys in order, no spaces, and text as it is', () => {
  const evidence = buildEvidence(facts({ files: [{ path: 'ü"\n', mode: '100644', blob: null }] }));
  assert.is(
    renderTextToHash(evidence),
    `{"commands":[{"command":"npm test","exit_code":0}],"files":[{"blob":null,"mode":"100644","path":"ü\\"\\n"}],"results":{"failed":0,"passed":1},"seed":null,"tree":"${makeOid('tree')}"}`,
  );
  assert.is(evidence.verification_hash, hashText(renderTextToHash(evidence)));
});

test('paths are ordered by their bytes, as git orders them', () => {
  const names = ['\u{10000}', '\uffee', 'b', 'a/b', 'a-b', 'a'];
  const files = names.map((path) => ({ path, mode: '100644', blob: makeOid('x') }));
  assert.equal(
    buildEvidence(facts({ files })).files.map(({ path }) => path),
    ['a', 'a-b', 'a/b', 'b', '\uffee', '\u{10000}'],
  );
});

test('a seed is taken from the commands where one is given', () => {
  const seedOf = (command: string): string | null =>
    buildEvidence(facts({ commands: [{ command, exit_code: 0, output_hash: null }] })).seed;
  assert.is(seedOf('pytest --randomly-seed=42'), '42');
  assert.is(seedOf('SEED=abc npm test'), 'abc');
  assert.is(seedOf('rspec --seed 1234'), '1234');
  assert.is(seedOf('npm run seed database'), null);
  assert.is(seedOf('./reseeding=3'), null);
});

test('thousands of files: all are hashed, the first ones are listed', () => {
  const files = Array.from({ length: 1_200 }, (_, n) => ({
    path: `f${String(n).padStart(4, '0')}`,
    mode: '100644',
    blob: makeOid(String(n)),
  }));
  const evidence = buildEvidence(facts({ files }));
  assert.is(evidence.files.length, 500);
  assert.is(evidence.changed_files, 1_200);
  const last = buildEvidence(facts({ files: files.slice(0, -1) }));
  assert.is.not(last.verification_hash, evidence.verification_hash);
  assert.equal(compareEvidence(evidence, { ...last, changed_files: 1_200 }), ['the verification hash is different']);
});

test('WFL-2: what differs is said in words', () => {
  const before = buildEvidence(facts());
  const now = buildEvidence(
    facts({
      tree: makeOid('new'),
      files: [
        { path: 'src/a.ts', mode: '100644', blob: makeOid('a') },
        { path: 'src/c.ts', mode: '100644', blob: makeOid('c') },
      ],
      commands: [
        { command: 'npm test', exit_code: null, output_hash: null },
        { command: 'npm run lint --seed=1', exit_code: 0, output_hash: null },
      ],
    }),
  );
  assert.equal(compareEvidence(before, before), []);
  assert.equal(compareEvidence(before, now), [
    `the tree is now ${makeOid('new').slice(0, 10)}, before ${makeOid('tree').slice(0, 10)}`,
    'npm test was killed, before it ended with 0',
    'npm run lint --seed=1 did not run before',
    'src/a.ts has different content or mode',
    'src/c.ts is changed only now',
    'src/b.ts is no longer changed',
    'the seed is now 1, before none',
    '1 passed and 1 failed, before 1 and 0',
  ]);
});

test('WFL-2: differing evidence raises doubts, whoever found it, and a later agreement keeps them', () => {
  const task = makePassed('task-001');
  const [good, bad] = [0, 1].map((exit_code) =>
    buildEvidence(facts({ commands: [{ command: 'npm test', exit_code, output_hash: null }] })),
  );
  if (good === undefined || bad === undefined) throw new Error('two packages were made');
  const verdict = makeVerdict(task, 'pass', { evidence: good });
  const verification = (differences: string[]): DiagnosticsRerun => ({
    session: testSession,
    task: task.id,
    commit: verdict.commit,
    expected: good.verification_hash,
    found: differences.length === 0 ? good.verification_hash : bad.verification_hash,
    differences,
    by: 'Lea Lead',
    at: testTime,
  });
  assert.equal(listEvidenceDoubts([], []), []);
  assert.equal(listEvidenceDoubts([verdict], [verification([])]), []);
  assert.equal(listEvidenceDoubts([makeVerdict(task, 'pass'), verdict], []), [], 'an old one has no evidence');
  assert.equal(
    listEvidenceDoubts([verdict], [verification(['npm test ended with 1, before it ended with 0']), verification([])]),
    ['checked again by Lea Lead: npm test ended with 1, before it ended with 0'],
  );
  assert.equal(
    listEvidenceDoubts([makeVerdict(task, 'fail', { evidence: bad, by: 'validator-1' }), verdict], [])[0],
    `${verdict.by} against validator-1: npm test ended with 0, before it ended with 1`,
  );
});

test.run();
