import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { globMatchesPath, isLockInsideGlobs, locksConflict, shellGlobMatchesPath } from '../../lib/util/path-globs.ts';
import { listAmbiguousPaths } from '../../lib/util/path-patterns.ts';

const covers: readonly (readonly [lock: string, path: string, expected: boolean])[] = [
  ['src/', 'src/a.ts', true],
  ['src', 'src/deep/a.ts', true],
  ['src', 'src', true],
  ['src', 'srcs/a.ts', false],
  ['./src//', 'src/a.ts', true],
  ['.', 'anything/at/all', true],
  ['src/**', 'src/.hidden', true],
  ['src/*.ts', 'src/a.ts', true],
  ['src/*.ts', 'src/x/a.ts', false],
  ['packages/*/src', 'packages/a/src/x.ts', true],
  ['packages/*/', 'packages/a/x.ts', true],
  ['src/*', 'src/x/a.ts', false],
  ['app/[id]/page.tsx', 'app/[id]/page.tsx', true],
  ['app/(shop)/page.tsx', 'app/(shop)/page.tsx', true],
  ['!src/a.ts', 'src/b.ts', false],
  ['#a', '#a', true],
  ['src/{a,b}.ts', 'src/b.ts', true],
  ['SRC/a.ts', 'src/a.ts', false],
  ['caf\u00e9.ts', 'cafe\u0301.ts', true],
  ['app/[slug]/**', 'app/[slug]/page.tsx', true],
  ['app/[slug]/**', 'app/s/page.tsx', false],
  ['app/[slug]/page.tsx', 'app/s/page.tsx', false],
  ['app/[slug]/', 'app/[slug]/a/b.tsx', true],
  ['app/[[...rest]]/*.tsx', 'app/[[...rest]]/page.tsx', true],
  ['app/[[...rest]]/(group)/**', 'app/[[...rest]]/(group)/page.tsx', true],
  ['app/(shop)/**', 'app/shop/page.tsx', false],
  ['app/@modal/(..)photo/[id]/**', 'app/@modal/(..)photo/[id]/page.tsx', true],
  ['src/routes/+page@(app).svelte', 'src/routes/+page@(app).svelte', true],
  ['src/routes/+page@(app).svelte', 'src/routes/+pageapp.svelte', false],
  ['src/routes/[x+2e]well/**', 'src/routes/[x+2e]well/+server.ts', true],
  ['src/routes/[lang=lang]/+page.svelte', 'src/routes/[lang=lang]/+page.svelte', true],
  ['app/routes/$id.[json].tsx', 'app/routes/$id.[json].tsx', true],
  ['app/routes/($lang)._index.tsx', 'app/routes/($lang)._index.tsx', true],
  ['app/routes/[id]*.tsx', 'app/routes/[id].edit.tsx', true],
  ['app/routes/[id]*.tsx', 'app/routes/i.tsx', false],
  ['app/\\[slug\\]/**', 'app/[slug]/page.tsx', true],
  ['lib/[a-m]*.ts', 'lib/cart.ts', true],
  ['lib/[a-m]*.ts', 'lib/zoo.ts', false],
  ['lib/[!a]*.ts', 'lib/b.ts', true],
  ['lib/[ab].ts', 'lib/a.ts', false],
  ['!x', '!x', true],
  ['!(a).ts', 'b.ts', false],
  ['a b\nc', 'a b\nc', true],
  ['a*', 'a\nb', true],
  ['{a,b}.txt', '{a,b}.txt', true],
  ['{a,b}.txt', 'a.txt', true],
  ['app/[caf\u00e9]/**', 'app/[cafe\u0301]/x', true],
  ['../x', '../x', false],
  ['/etc', '/etc/passwd', false],
  ['src', 'src/../x', false],
  ['', 'a', false],
];
for (const [lock, path, expected] of covers) {
  test(`lock ${lock} ${expected ? 'covers' : "doesn't cover"} ${path}`, () => {
    assert.is(globMatchesPath(lock, path), expected);
  });
}

test('WTR-6 a name that is there is literal, whatever it could stand for', () => {
  const present = listAmbiguousPaths([
    '{a,b}.txt',
    'docs/what?.md',
    'n/[0-9]/',
    'src/a*.ts',
    'x\\y',
    '**/q?.md',
    '*/z?',
  ]);
  assert.equal(present, ['{a,b}.txt', 'docs/what?.md', 'n/[0-9]', 'src/a*.ts', 'x\\y']);
  const literal: readonly (readonly [lock: string, own: string, other: string])[] = [
    ['{a,b}.txt', '{a,b}.txt', 'a.txt'],
    ['docs/what?.md', 'docs/what?.md', 'docs/whats.md'],
    ['n/[0-9]/', 'n/[0-9]/a', 'n/1/a'],
    ['n/[0-9]/*.ts', 'n/[0-9]/a.ts', 'n/1/a.ts'],
    ['src/a*.ts', 'src/a*.ts', 'src/ab.ts'],
    ['x\\y', 'x\\y', 'xy'],
  ];
  for (const [lock, own, other] of literal) {
    assert.ok(globMatchesPath(lock, own, present), lock);
    assert.not(globMatchesPath(lock, other, present), `${lock} names ${other}`);
    assert.ok(globMatchesPath(lock, other), `${lock} is a pattern where it is not there`);
  }
});

test('WTR-6 where brackets bound agents both readings count', () => {
  assert.ok(shellGlobMatchesPath('keys/[ab]/**', 'keys/a/x') && shellGlobMatchesPath('keys/[ab]/**', 'keys/[ab]/x'));
  assert.ok(shellGlobMatchesPath('keys/@(a|b)', 'keys/a') && shellGlobMatchesPath('keys/[ab]/', 'keys/b/deep/x'));
  assert.not(shellGlobMatchesPath('keys/[ab]/**', 'keys/c/x'));
});

const conflicts: readonly (readonly [a: string, b: string, expected: boolean])[] = [
  ['src/', 'src/a.ts', true],
  ['src', 'source', false],
  ['src/a.ts', 'src/a.ts', true],
  ['src/A.ts', 'src/a.TS', true],
  ['src/a.ts', 'src/b.ts', false],
  ['src/*.ts', 'src/a.ts', true],
  ['src/*.ts', 'src/a.css', false],
  ['src/*.ts', 'src/*.css', false],
  ['src/a*', 'src/b*', false],
  ['src/a*', 'src/*b', true],
  ['src/*.ts', 'src/x/a.ts', false],
  ['**/*.test.ts', 'src/', true],
  ['src/**', 'test/**', false],
  ['src/{a,b}/', 'src/c/', false],
  ['src/{a,b}/', 'src/b/x', true],
  ['.', 'src/a.ts', true],
  ['../x', 'src/a.ts', true],
  ['foo@2x.png', 'foo@3x.png', false],
  ['app/[slug]/page.tsx', 'app/s/page.tsx', false],
  ['app/[slug]/**', 'app/[slug]/page.tsx', true],
  ['app/[id]/**', 'app/[slug]/**', false],
  ['app/*/page.tsx', 'app/[slug]/page.tsx', true],
  ['app/(a)/**', 'app/a/**', false],
  ['{a,b}.txt', 'a.txt', true],
  ['{a,b}.txt', '{a,b}.txt', true],
];
for (const [a, b, expected] of conflicts) {
  test(`locks ${a} and ${b} ${expected ? 'conflict' : 'are apart'}`, () => {
    assert.is(locksConflict(a, b), expected);
    assert.is(locksConflict(b, a), expected);
  });
}

const insides: readonly (readonly [lock: string, allowed: readonly string[], expected: boolean])[] = [
  ['src/a.ts', ['**'], true],
  ['.', ['**'], true],
  ['src/', ['src/**'], true],
  ['src', ['src/**'], true],
  ['src', ['src'], true],
  ['src/', ['src/*'], false],
  ['src/x.ts', ['src/*.ts'], true],
  ['src/**', ['src/*.ts'], false],
  ['src/*.test.ts', ['src/*.ts'], true],
  ['src/*.ts', ['src/*.test.ts'], false],
  ['{src,test}/**', ['src/**', 'test/**'], true],
  ['{src,infra}/**', ['src/**', 'test/**'], false],
  ['package.json', ['src/**', 'package.json'], true],
  ['**/*.ts', ['src/**'], false],
  ['a/b/c.ts', ['**/*.ts'], true],
  ['../x', ['**'], false],
  ['src/a.ts', [], false],
  ['app/[slug]/page.tsx', ['app/[slug]/**'], true],
  ['app/s/page.tsx', ['app/[slug]/**'], false],
  ['app/[slug]/(a)/**', ['app/**'], true],
  ['app/[slug]/x.ts', ['app/*/x.ts'], true],
];
for (const [lock, allowed, expected] of insides) {
  test(`lock ${lock} is ${expected ? '' : 'not '}inside ${allowed.join(' ')}`, () => {
    assert.is(isLockInsideGlobs(lock, allowed), expected);
  });
}

test('seeded random locks: what two locks both cover is a conflict, and inside means covered', () => {
  const next = randomFrom(20_260_206);
  const names = ['a', 'b', 'ab', 'A', 'a.ts', 'b.ts', '.x'];
  const wild = ['*', '**', 'a*', '*.ts', '{a,b}', '?', '[ab]'];
  const pick = (list: readonly string[]): string => list[next(list.length)] ?? '';
  const glob = (): string =>
    Array.from({ length: 1 + next(3) }, () => pick(next(3) === 0 ? wild : names)).join('/') +
    (next(5) === 0 ? '/' : '');
  const path = (): string => Array.from({ length: 1 + next(4) }, () => pick(names)).join('/');
  let [shared, contained] = [0, 0];
  for (let round = 0; round < 30_000; round += 1) {
    const [left, right, target] = [glob(), glob(), path()];
    if (globMatchesPath(left, target) && globMatchesPath(right, target)) {
      shared += 1;
      assert.ok(locksConflict(left, right), `${left} and ${right} both cover ${target}`);
    }
    if (isLockInsideGlobs(`${left.replace(/\/$/, '')}/`, [right]) && globMatchesPath(left, target)) {
      contained += 1;
      const isHeld = globMatchesPath(right, target) || globMatchesPath(right, `${target}/x`);
      assert.ok(isHeld, `${left} is said to be inside ${right}, but covers ${target}`);
    }
  }
  assert.ok(shared > 100 && contained > 20, `${shared} shared, ${contained} contained`);
});

function randomFrom(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

test.run();
