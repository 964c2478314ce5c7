import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { buildReadingGuide } from '../../../lib/core/reading/build-reading-guide.ts';
import type { TaskId } from '../../../lib/domain/ids.ts';
import type { ReadingGuide } from '../../../lib/domain/state/reading-guide.ts';
import { changesOf, type FileSides } from './changes.ts';

const noSearch = { tests: [], words: new Set<string>(), lines: [] };

function guideOf(files: Readonly<Record<string, FileSides>>, title = 'Work', isRead = true): ReadingGuide {
  const task = { id: 'task-001' as TaskId, title, file_locks: [] };
  return buildReadingGuide(changesOf(files, isRead), [task], noSearch);
}

function storyOf({ chapters }: ReadingGuide): readonly unknown[] {
  return chapters.map(({ kind, isFolded, files }) => [
    `${kind}${isFolded ? ', folded' : ''}`,
    ...files.map(({ path }) => path),
  ]);
}

const added = (after: string): FileSides => ({ before: null, after });
const edited = (before: string, after: string): FileSides => ({ before, after });

const auth = {
  'docs/auth.md': edited('# Auth\n', '# Auth\nTokens expire.\n'),
  'lib/auth/token.ts': edited(
    'export function parseToken(text: string): string {\n  return text;\n}\n',
    'export function parseToken(text: string, now: number): string {\n  return text + now;\n}\n\nexport function issueToken(): string {\n  return "";\n}\n',
  ),
  'lib/cli/login.ts': edited(
    "import { parseToken } from '../auth/token.ts';\nparseToken('a');\n",
    "import { parseToken } from '../auth/token.ts';\nparseToken('a', 1);\n",
  ),
  'package-lock.json': edited('{}\n', '{"a": 1}\n'),
  'package.json': edited('{"dependencies": {}}\n', '{"dependencies": {"jose": "5.0.0"}}\n'),
  'test/auth/token.test.ts': edited(
    "import { parseToken } from '../../lib/auth/token.ts';\ntest('a', () => {});\n",
    "import { parseToken } from '../../lib/auth/token.ts';\ntest('a', () => {});\ntest('b', () => {});\n",
  ),
};

test('what others use comes first, then what uses it, tests, set-up, documents, and lock files folded', () => {
  assert.equal(storyOf(guideOf(auth)), [
    ['subject', 'lib/auth/token.ts'],
    ['consequence', 'lib/cli/login.ts'],
    ['tests', 'test/auth/token.test.ts'],
    ['setup', 'package.json'],
    ['documents', 'docs/auth.md'],
    ['generated, folded', 'package-lock.json'],
  ]);
});

test('the order is the same where no file was read whole', () => {
  assert.equal(storyOf(guideOf(auth, 'Work', false)), storyOf(guideOf(auth)));
});

const imports: readonly (readonly [string, string, string, string, string])[] = [
  [
    'Python',
    'app/tokens.py',
    'def parse_token(text):\n    return text\n',
    'app/web/login.py',
    'from app.tokens import parse_token\nx = 1\n',
  ],
  [
    'Python, relative',
    'app/tokens.py',
    'def parse_token(text):\n    return text\n',
    'app/login.py',
    'from . import tokens\nx = 1\n',
  ],
  [
    'Go',
    'auth/token.go',
    'package auth\n\nfunc ParseToken(s string) string {\n\treturn s\n}\n',
    'cmd/main.go',
    'package main\n\nimport (\n\t"example.com/m/auth"\n)\nvar x = 1\n',
  ],
  [
    'Rust',
    'src/auth/token.rs',
    'pub fn parse_token(s: &str) -> &str {\n    s\n}\n',
    'src/main.rs',
    'use crate::auth::token::parse_token;\nfn main() {}\n',
  ],
  [
    'C',
    'src/token.h',
    'int parse_token(const char *s);\nint other(void);\n',
    'src/cli/login.c',
    '#include "token.h"\nint x = 1;\n',
  ],
  [
    'Java',
    'src/a/Tokens.java',
    'package a;\npublic class Tokens {\n  public String parse(String s) { return s; }\n}\n',
    'src/b/Login.java',
    'package b;\nimport a.Tokens;\nclass Login {}\n',
  ],
  [
    'JavaScript',
    'src/token.js',
    'exports.parseToken = (s) => s;\nlet x = 1;\n',
    'bin/login.js',
    "const { parseToken } = require('../src/token');\nlet y = 1;\n",
  ],
];

for (const [language, used, declares, user, uses] of imports)
  test(`${language}: a file that is imported comes before the one that imports it`, () => {
    // Larger, and named by the title: what is imported counts more.
    const large = uses + Array.from({ length: 6 }, (_, at) => `x${at}y\n`).join('');
    assert.equal(storyOf(guideOf({ [user]: added(large), [used]: added(declares) })), [
      ['subject', used],
      ['consequence', user],
    ]);
  });

test('without imports, a name that a changed line uses links the files', () => {
  const files = {
    'pkg/a.go': edited('package p\n\nfunc serve() {\n}\n', 'package p\n\nfunc serve() {\n\tNewStore(1)\n}\n'),
    'pkg/store.go': added('package p\n\nfunc NewStore(n int) int {\n\treturn n\n}\n'),
  };
  assert.equal(storyOf(guideOf(files)), [
    ['subject', 'pkg/store.go'],
    ['consequence', 'pkg/a.go'],
  ]);
});

test('a title names what a changeset is about', () => {
  const files = {
    'lib/cache.ts': edited('let a = 1;\n', 'let a = 2;\n'),
    'lib/retry.ts': edited('let a = 1;\n', 'let a = 2;\n'),
  };
  assert.equal(storyOf(guideOf(files, 'Limits for retry')), [
    ['subject', 'lib/retry.ts'],
    ['consequence', 'lib/cache.ts'],
  ]);
});

test('only names decide what is folded: a file that says it is generated is shown, and marked', () => {
  const guide = guideOf({
    'lib/a.ts': added('// @generated by a tool, do not edit\nexport const evil = 1;\n'),
    'lib/b.min.js': added('let x = 1;\n'),
    'lib/c.png': { ...added(''), hasNul: true },
    // A NUL in it keeps no program from running.
    'lib/d.js': { ...added(''), hasNul: true },
  });
  assert.equal(storyOf(guide), [
    ['generated', 'lib/a.ts', 'lib/d.js'],
    ['generated, folded', 'lib/b.min.js', 'lib/c.png'],
  ]);
  assert.equal(guide.chapters[0]?.files[0]?.marks, [{ kind: 'looks-generated', reason: 'says that it is generated' }]);
});

test('what only moved is folded, what moved and became executable is not', () => {
  const moved = (path: string): FileSides => ({
    before: null,
    after: 'a\n',
    movedFrom: { path, similarity: 100 },
    oldMode: '100644',
    newMode: '100644',
  });
  const guide = guideOf({
    'new/a.ts': { ...moved('old/a.ts'), before: 'a\n' },
    'new/b.ts': { ...moved('old/b.ts'), before: 'a\n', newMode: '100755' },
  });
  assert.equal(storyOf(guide), [
    ['subject', 'new/b.ts'],
    ['moved, folded', 'new/a.ts'],
  ]);
});

test('forty files read as a story of few chapters', () => {
  const numbers = Array.from({ length: 17 }, (_, at) => at);
  const use = (name: string): FileSides =>
    edited(
      `import { build } from '../core/build.ts';\n${name}\n`,
      `import { build } from '../core/build.ts';\n${name}(build)\n`,
    );
  const files: Record<string, FileSides> = {
    'lib/core/build.ts': added('export function build(): number {\n  return 1;\n}\n'),
    'lib/core/parts.ts': added('export const parts = 1;\n'),
    'README.md': edited('a\n', 'b\n'),
  };
  for (const at of numbers) files[`lib/ui/page${at}.ts`] = use(`page${at}`);
  for (const at of numbers) files[`lib/cli/command${at}.ts`] = use(`command${at}`);
  for (const at of [1, 2, 3])
    files[`test/ui/page${at}.test.ts`] = added(`import '../../lib/ui/page${at}.ts';\nit();\n`);
  const { chapters } = guideOf(files);
  assert.equal(
    chapters.map(({ title, files: of }) => [title, of.length]),
    [
      ['lib/core/build.ts', 1],
      ['What follows in lib/cli', 17],
      ['What follows in lib/ui', 17],
      ['Also changed', 1],
      ['Tests', 3],
      ['Documents', 1],
    ],
  );
});

test('each file is in exactly one chapter, whatever it is', () => {
  const { chapters } = guideOf({
    ...auth,
    '.github/workflows/ci.yml': added('on: push\n'),
    'a.bin': { ...added(''), hasNul: true },
    'lib/a.constructor': added('a\n'),
    'lib/a.__proto__': added('a\n'),
  });
  const paths = chapters.flatMap(({ files }) => files.map(({ path }) => path));
  assert.equal(paths.length, 10);
  assert.is(new Set(paths).size, 10);
});

test.run();
