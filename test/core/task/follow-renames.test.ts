import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { renameLocksLikeFiles } from '../../../lib/core/task/cell-changes-and-renames.ts';

const folder = ['f1.js', 'f2.js', 'deep/f3.js'].map((name) => ({
  from: `src/util/${name}`,
  to: `src/lib/${name}`,
}));

const cases: readonly (readonly [string, readonly string[], typeof folder, readonly string[]])[] = [
  ['a file by its name has its new name', ['src/util/f1.js'], folder, ['src/lib/f1.js']],
  ['a folder that went elsewhere is locked there too', ['src/util/'], folder, ['src/util/', 'src/lib/']],
  ['without its final slash', ['src/util'], folder, ['src/util', 'src/lib']],
  ['a pattern is the same pattern there', ['src/util/**/*.js'], folder, ['src/util/**/*.js', 'src/lib/**/*.js']],
  ['what covers both names stays as it is', ['src/', 'README.md'], folder, ['src/', 'README.md']],
  [
    'files that went apart are locked each by its name',
    ['src/util/*.js'],
    [
      { from: 'src/util/f1.js', to: 'src/one.js' },
      { from: 'src/util/f2.js', to: 'lib/two.js' },
    ],
    ['src/util/*.js', 'src/one.js', 'lib/two.js'],
  ],
  [
    'what another lock covers already is not added',
    ['src/util/f1.js', 'src/lib/'],
    folder,
    ['src/util/f1.js', 'src/lib/'],
  ],
  [
    'brackets of a name are part of it',
    ['app/[slug]/page.tsx'],
    [{ from: 'app/[slug]/page.tsx', to: 'app/[id]/page.tsx' }],
    ['app/[id]/page.tsx'],
  ],
  ['what was not renamed stays', ['docs/a.md'], folder, ['docs/a.md']],
  ['a folder whose name begins like another one is not that one', ['src/ut'], folder, ['src/ut']],
];

for (const [what, locks, renames, expected] of cases)
  test(`WTR-6 locks follow renames: ${what}`, () => {
    const { locks: now, followed } = renameLocksLikeFiles(locks, renames);
    assert.equal(now, expected);
    assert.is(followed.length > 0, JSON.stringify(expected) !== JSON.stringify(locks));
    assert.equal(renameLocksLikeFiles(now, renames).locks, expected, 'once');
  });

test.run();
