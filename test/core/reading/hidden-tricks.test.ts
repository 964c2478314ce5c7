import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { guideOf, reasonsOf } from './changes.ts';

const js = (body: string): string => `test('adds', () => {\n${body}\n});\n`;
const exact = '  expect(add(1, 2)).toBe(3);';
const python = 'def test_a():\n    assert add(1, 2) == 3\n';
const go = (first: string): string =>
  `func TestA(t *testing.T) {\n${first}\tif add() != 3 {\n\t\tt.Fatal("bad")\n\t}\n}\n`;
const loose = '1 exact assertion became loose';

const weaker: readonly (readonly [string, string, string, string])[] = [
  ['test/a.test.ts', js(exact), js(`  return;\n${exact}`), '1 assertion behind `return;` now'],
  ['test/a.test.ts', js(exact), js(`  if (ci) return;\n${exact}`), '1 assertion behind `if (ci) return;` now'],
  ['test/a.test.ts', js(exact), js(`  if (ci) {\n    return;\n  }\n${exact}`), '1 assertion behind `return;` now'],
  ['test/a.test.ts', js(exact), js(`  if (full) {\n  ${exact}\n  }`), '1 assertion behind `if (full) {` now'],
  ['test/a.test.ts', js(exact), js(`  try {\n  ${exact}\n  } catch {}`), '1 assertion behind `} catch {}` now'],
  [
    'tests/test_a.py',
    python,
    python.replace('    assert', '    return\n    assert'),
    '1 assertion behind `return` now',
  ],
  ['a_test.go', go(''), go('\treturn\n'), '1 assertion behind `return` now'],
  ['test/a.test.ts', js(exact), js(exact).replace('test(', 'test.skipIf(ci)('), 'adds `test.skipIf`'],
  ['test/a.test.ts', js(exact), js(`  this.skip();\n${exact}`), 'adds `this.skip(`'],
  ['tests/conftest.py', 'x = 1\n', "x = 1\ncollect_ignore = ['test_a.py']\n", 'adds `collect_ignore`'],
  ['test/a.test.ts', js(exact), js('  expect(add(1, 2)).toBeGreaterThan(0);'), loose],
  ['test/a.test.ts', js(exact), js('  expect(add(1, 2)).toMatchObject({});'), loose],
  ['test/a.test.ts', js(exact), js('  expect(a).toBe(a);'), 'adds `expect(a).toBe(a)`'],
  ['tests/test_a.py', python, python.replace('== 3', 'is not None'), loose],
  ['tests/test_a.py', python, python.replace('== 3', '== 3 or True'), 'adds `or True`'],
  ['scripts/check.sh', 'npm test\n', 'npm test || true\n', 'adds `|| true`'],
  ['package.json', '{"scripts":{"test":"jest"}}\n', '{"scripts":{"test":"jest; true"}}\n', 'adds `; true`'],
  ['Makefile', 'test:\n\tnpm test\n', 'test:\n\t-npm test\n', 'adds `-npm test`'],
  ['jest.config.js', '  a: 1,\n', "  a: 1,\n  exclude: ['b'],\n", "adds `exclude: ['b'],`"],
  ['tsconfig.json', '"exclude": ["a"]\n', '"exclude": ["a", "b"]\n', 'no longer checked: "exclude": ["a", "b"]'],
  ['.eslintignore', 'dist\n', 'dist\nlib\n', 'no longer checked: lib'],
  ['vitest.config.ts', 'a: {\n  branches: 80,\n}\n', 'a: {\n}\n', 'branches 80 is gone'],
  ['.gitattributes', 'a\n', 'a\nlib/a.ts -diff\n', 'adds `lib/a.ts -diff`'],
  ['lib/a.ts', 'a(b);\n', 'a(b as any);\n', 'adds `as any`'],
  ['lib/a.ts', 'a();\n', "if (process.env.NODE_ENV === 'test') a();\n", "adds `NODE_ENV === 'test'`"],
];

for (const [index, [path, before, after, reason]] of weaker.entries())
  test(`RVW-1 a check made weaker is marked, and its way back is not: ${path} (${index})`, () => {
    assert.equal(reasonsOf(path, { before, after }, 'weaker-check'), [reason]);
    assert.equal(reasonsOf(path, { before: after, after: before }, 'weaker-check'), []);
  });

test('RVW-1 what reads like a guard and guards nothing new is not marked', () => {
  const more = `${js(exact)}test('more', () => {\n  if (ci) return;\n  expect(more()).toBe(1);\n});\n`;
  for (const after of [
    more,
    `function helper(a) {\n  if (!a) return;\n  a();\n}\n${js(exact)}`,
    js(`  try {\n  ${exact}\n  } finally {\n    end();\n  }`),
    `describe('sums', () => {\n${js(exact).replace(/^(?=.)/gm, '  ')}});\n`,
  ])
    assert.equal(reasonsOf('test/a.test.ts', { before: js(exact), after }, 'weaker-check'), [], after);
  const dependency = { before: '{"dependencies": {\n}}\n', after: '{"dependencies": {\n"ignore-styles": "^5"\n}}\n' };
  assert.equal(reasonsOf('package.json', dependency, 'weaker-check'), []);
});

test('RVW-1 recorded results that were written over are marked', () => {
  const sides = { before: 'a\nb\n', after: 'x\ny\n' };
  for (const path of ['test/__snapshots__/a.test.ts.snap', 'testdata/golden/a.txt'])
    assert.equal(reasonsOf(path, sides, 'weaker-check'), ['2 lines of recorded results replaced']);
});

test('RVW-1 text that hides from a reader is marked in what runs, and not in documents', () => {
  const hidden: readonly (readonly [string, string])[] = [
    ["a = '\u202e';\n", 'adds the invisible U+202E'],
    ['is\u0410dmin();\n', 'letters of two alphabets in one word: is\u0410dmin'],
    [`a();${' '.repeat(100)}evil();\n`, 'text after many blanks: evil();'],
  ];
  for (const [after, reason] of hidden) {
    assert.equal(reasonsOf('lib/a.ts', { before: 'a();\n', after }, 'hidden-text'), [reason]);
    assert.equal(reasonsOf('README.md', { before: 'a\n', after }, 'hidden-text'), []);
  }
  const harmless = { before: 'a();\n', after: "a('\\nПривет, 👩\u200d👧');\r\n" };
  assert.equal(reasonsOf('lib/a.ts', harmless, 'hidden-text'), []);
});

test('RVW-1 what instructs agents, or runs on the machine of who opens the folder, is marked', () => {
  const [agents, local] = ['instructs agents: +Obey.', "runs on the developer's machine: +Obey."];
  const files: readonly (readonly [string, string | undefined])[] = [
    ...['AGENTS.md', 'lib/AGENTS.md', 'CLAUDE.local.md', '.claude/hooks/a.sh', '.cursor/rules/a.mdc', '.cursorrules']
      .concat(['.github/copilot-instructions.md', '.github/instructions/a.instructions.md', '.mcp.json'])
      .map((path) => [path, agents] as const),
    ...['.envrc', 'web/.envrc', '.vscode/tasks.json', '.devcontainer/devcontainer.json', 'a.code-workspace'].map(
      (path) => [path, local] as const,
    ),
    ...['docs/agents.txt', 'lib/claude/a.md', '.env.example'].map((path) => [path, undefined] as const),
  ];
  for (const [path, reason] of files) {
    const reasons = reason === undefined ? [] : [reason];
    assert.equal(reasonsOf(path, { before: null, after: 'Obey.\n' }, 'machine'), reasons, path);
    if (reason !== undefined)
      assert.equal(reasonsOf(path, { before: null, after: 'a\u202e\n' }, 'hidden-text').length, 1, path);
  }
  const gone = { before: 'Obey.\n', after: null };
  assert.equal(reasonsOf('CLAUDE.md', gone, 'machine'), ['no longer instructs agents']);
});

const entry = (host: string, sum: string, version = '1.0.0'): string =>
  `"node_modules/a": {\n"version": "${version}",\n"resolved": "${host}/a-${version}.tgz"${sum}\n}\n`;

const locks: readonly (readonly [string, string, string | null])[] = [
  [entry('https://a.example', ',\n"integrity": "1"'), entry('https://a.example', ''), '1 checksum fewer'],
  [
    entry('https://a.example', ',\n"integrity": "1"'),
    entry('https://a.example', ',\n"integrity": "2"'),
    '1 other checksum of the same version',
  ],
  [entry('https://a.example', ',\n"integrity": "1"'), entry('https://a.example', ',\n"integrity": "2"', '2.0.0'), null],
  [entry('https://a.example', ',\n"integrity": "1"'), '', null],
  [entry('https://a.example', ''), entry('git@b.example:x', ''), 'gets packages from b.example'],
  [entry('https://a.example', ''), entry('file:../..', ''), 'gets packages from file:../../a-1.0.0.tgz'],
];

test('DEP-1 a lock file that gets other packages than were locked says so', () => {
  for (const [before, after, reason] of locks)
    assert.equal(reasonsOf('package-lock.json', { before, after }, 'dependencies'), [
      `${reason === null ? '' : `${reason}; `}changed, and no list of dependencies did`,
    ]);
  const registry = { before: '', after: 'registry=https://b.example/\n' };
  assert.equal(reasonsOf('.npmrc', registry, 'dependencies'), ['gets packages from b.example']);
});

test('RVW-1 a link or submodule with the name of a generated file is not folded away', () => {
  for (const newMode of ['120000', '160000'])
    for (const path of ['package-lock.json', 'lib/a.min.js']) {
      const [chapter] = guideOf(path, { before: 'a', after: 'b', oldMode: newMode, newMode });
      assert.is(chapter.isFolded, false);
    }
});

test('a file made to be slow to read is read', () => {
  const lines = [
    '  return;',
    `  ${'ignore'.repeat(100)}`,
    '  expect(a).toBe(1);',
    '  } catch {',
    `${'assert in '.repeat(90)}`,
  ];
  const after = `${lines.join('\n')}\n`.repeat(6_000);
  for (const path of ['test/a.test.ts', 'tests/test_a.py', 'tox.ini', 'lib/a.ts', 'yarn.lock'])
    assert.is(guideOf(path, { before: 'a\n', after })[1].path, path);
});

test.run();
