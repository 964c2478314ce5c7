import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { buildReadingGuide } from '../../../lib/core/reading/build-reading-guide.ts';
import { isCoverageReport } from '../../../lib/core/reading/coverage-reports.ts';
import { type CoverageReport, createCoverage } from '../../../lib/core/reading/measure-coverage.ts';
import type { Patch } from '../../../lib/domain/state/patch.ts';
import type { CoveredFile } from '../../../lib/domain/state/verdict.ts';
import { changesOf, patchOf } from './changes.ts';

function measureCoverage(
  reports: readonly CoverageReport[],
  patch: Patch,
  tree: readonly string[],
): readonly CoveredFile[] {
  const coverage = createCoverage(patch, tree, '/tmp/cell');
  for (const report of reports) Array.from(coverage.add(report));
  return coverage.list();
}

const total = [
  'export function total(items, discount) {',
  '  let sum = 0;',
  '  for (const item of items) sum += item.price;',
  '  if (discount > 1) {',
  "    throw new Error('a discount is at most 1');",
  '  }',
  '  return sum;',
  '}',
  '',
].join('\n');

const lcov = (path: string, hits = '0,x+y'): string =>
  `TN:\nSF:${path}\nFN:1,total\nFNDA:1,total\nDA:1,1\nDA:2,1\nDA:3,1\nDA:4,1\nDA:5,${hits}\nDA:6,0\nDA:7,1\nLF:7\nend_of_record\n`;

const cobertura = (source: string, name: string): string =>
  `<?xml version="1.0" ?>\n<coverage line-rate="0.7"><sources><source>${source}</source></sources><packages><package name="a"><classes>
  <class name="price.py" filename="${name}"><methods><method name="t" hits="1"><lines><line number="1" hits="1"/></lines></method></methods>
  <lines>${[1, 1, 1, 1, 0, 0, 1].map((hits, at) => `<line number="${at + 1}" hits="${hits}" branch="false"/>`).join('')}</lines></class></classes></package></packages></coverage>`;

const clover = (attributes: string, classes = ''): string =>
  `<?xml version="1.0"?><coverage clover="3.2.0"><project><file ${attributes}>${classes}<metrics statements="7"/>${[
    1, 1, 1, 1, 0, 0, 1,
  ]
    .map((count, at) => `<line num="${at + 1}" count="${count}" type="stmt"/>`)
    .join('')}</file></project></coverage>`;

const jacoco = `<?xml version="1.0"?><report name="shop"><package name="org/shop"><class name="org/shop/Price" sourcefilename="Price.java"><method name="t" line="1"/></class>
  <sourcefile name="Price.java">${[2, 1, 1, 1, 0, 0, 1].map((ran, at) => `<line nr="${at + 1}" mi="0" ci="${ran}" mb="0" cb="0"/>`).join('')}</sourcefile></package></report>`;

const go = (name: string): string =>
  `mode: set\n${name}:1.26,4.13 3 1\n${name}:7.2,7.14 1 1\n${name}:5.1,6.3 1 0\ngithub.com/else/price.go:1.1,9.9 1 0\n`;

const istanbul = (path: string): string =>
  JSON.stringify({
    [path]: {
      path,
      all: false,
      statementMap: Object.fromEntries(
        [1, 2, 3, 4, 5, 6, 7].map((line) => [line, { start: { line, column: 0 }, end: { line, column: 9 } }]),
      ),
      s: { 1: 1, 2: 1, 3: 4, 4: 1, 5: 0, 6: 0, 7: 1 },
    },
  });

/** What each runner calls its report, its text, and the file of the tree that it means. */
const reports: readonly (readonly [string, string, string, string])[] = [
  ['c8, node, cargo llvm-cov', 'coverage/lcov.info', lcov('src/price.js'), 'src/price.js'],
  ['lcov of the machine it ran on', 'lcov.info', lcov('/home/ci/work/src/price.js'), 'src/price.js'],
  ['lcov of Windows', 'lcov.info', lcov('src\\price.js'), 'src/price.js'],
  ['a package of several', 'packages/shop/coverage/lcov.info', lcov('src/price.js'), 'packages/shop/src/price.js'],
  ['jest, vitest', 'coverage/coverage-final.json', istanbul('/tmp/cell/src/price.js'), 'src/price.js'],
  ['nyc', 'coverage/cobertura-coverage.xml', cobertura('/tmp/cell', 'src/price.js'), 'src/price.js'],
  ['coverage.py', 'coverage.xml', cobertura('/tmp/cell/src/shop', 'price.py'), 'src/shop/price.py'],
  ['clover of jest', 'coverage/clover.xml', clover('name="price.js" path="/tmp/cell/src/price.js"'), 'src/price.js'],
  ['phpunit', 'clover.xml', clover('name="/tmp/cell/src/Price.php"'), 'src/Price.php'],
  ['JaCoCo', 'target/site/jacoco/jacoco.xml', jacoco, 'src/main/java/org/shop/Price.java'],
  ['go', 'cover.out', go('example.com/me/shop/calc/price.go'), 'calc/price.go'],

  ['PHPUnit', 'clover.xml', clover('name="/srv/app/src/Price.php"', '<class name="Price"/>'), 'src/Price.php'],
  ['go below the root', 'backend/c.out', go('example.com/m/calc/price.go'), 'backend/calc/price.go'],
  ['go of several modules', 'cover.out', go('example.com/m/calc/price.go'), 'backend/calc/price.go'],
  [
    'a package beside the one that ran',
    'packages/a/coverage/lcov.info',
    lcov('../b/src/price.js'),
    'packages/b/src/price.js',
  ],
  ['a name with signs', 'coverage.xml', cobertura('/tmp/cell/a &amp; b', 'it&apos;s.py'), "a & b/it's.py"],
  ['a folder of reports for all packages', 'coverage/c/lcov.info', lcov('src/price.js'), 'packages/c/src/price.js'],
];

const others = ['README.md', 'price.js', 'src/other/price.js', 'src/main/java/org/else/Price.java', 'a/price.py'];

for (const [runner, path, text, file] of reports)
  test(`RVW-1 lines that tests ran over are read from the report of ${runner}`, () => {
    assert.ok(isCoverageReport(path.split('/').at(-1) ?? ''), path);
    const patch = patchOf({ [file]: { before: null, after: total } });
    assert.equal(measureCoverage([{ path, text }], patch, [...others, file]), [
      { path: file, report: path, lines: 7, not_run: 2, ranges: [[5, 6]] },
    ]);
  });

test('RVW-1 only added lines count, and one report that ran them is enough', () => {
  const before = total.replace("    throw new Error('a discount is at most 1');\n", '');
  const patch = patchOf({ 'src/price.js': { before, after: total } });
  const tree = ['src/price.js'];
  const unit = { path: 'a/lcov.info', text: lcov('src/price.js') };
  assert.equal(measureCoverage([unit], patch, tree), [
    { path: 'src/price.js', report: 'a/lcov.info', lines: 1, not_run: 1, ranges: [[5, 5]] },
  ]);
  const integration = { path: 'b/lcov.info', text: lcov('src/price.js', '3') };
  assert.equal(measureCoverage([integration, unit], patch, tree), [
    { path: 'src/price.js', report: 'a/lcov.info', lines: 1, not_run: 0, ranges: [] },
  ]);
});

test('RVW-1 a report of other files, a text that is none, or one without an end measures nothing', () => {
  const patch = patchOf({ 'src/price.js': { before: null, after: total } });
  const nothing = [
    lcov('lib/other.js'),
    lcov('../../etc/price.js'),
    '{"a": 1}',
    '{"a',
    '<coverage><line number="1" hits="1"/>',
    '',
    '\0\0',
    'mode: set\nsrc/price.js:x',
    `SF:${'/'.repeat(1_000_000)}\nDA:1,1\n`,
    `<coverage><class filename="${' '.repeat(1_000_000)}`,
    'SF:src/price.js\nDA:one,1\nDA:1e400,1\nDA:-3,1\nDA:99,1\n',
  ];
  for (const text of nothing)
    assert.equal(measureCoverage([{ path: 'lcov.info', text }], patch, ['src/price.js']), [], text.slice(0, 60));
});

/** What a report says of files that all have the same lines. */
const measured = (path: string, text: string, tree: readonly string[]): readonly string[] => {
  const patch = patchOf(Object.fromEntries(tree.map((file) => [file, { before: null, after: total }])));
  return measureCoverage([{ path, text }], patch, tree).map((file) => file.path);
};

test('RVW-1 a report never means a file of another package, or one that was only made from it', () => {
  const [a, b, top] = ['packages/a/src/price.js', 'packages/b/src/price.js', 'src/price.js'];
  assert.equal(measured('packages/a/coverage/lcov.info', lcov('src/price.js'), [a, b, top]), [a]);
  assert.equal(measured('coverage/lcov.info', lcov('packages/b/src/price.js'), [a, b, top]), [b]);
  assert.equal(measured('coverage/lcov.info', lcov('src/price.js'), [a, b]), []);
  const own = `${lcov('src/own.js')}${lcov('src/made.js')}`;
  assert.equal(measured('packages/a/lcov.info', own, ['packages/a/src/own.js', 'src/made.js']), [
    'packages/a/src/own.js',
  ]);
  const other = lcov('src/price.js') + lcov('src/own.js');
  assert.equal(measured('coverage/a/lcov.info', other, [a, 'packages/a/src/own.js', top]), [
    a,
    'packages/a/src/own.js',
  ]);
  assert.equal(measured('lcov.info', lcov('dist/src/price.js'), [top]), []);
  assert.equal(measured('lcov.info', lcov('price.js'), [top]), []);
  const here = `${lcov('/tmp/cell/packages/a/src/price.js')}${lcov('/usr/lib/packages/b/src/price.js')}`;
  assert.equal(measured('lcov.info', here, [a, b]), [a]);
  const two = '<sources><source>/tmp/cell/src/a</source><source>/tmp/cell/src/b</source></sources>';
  const both = `<coverage>${two}<class filename="price.py"><line number="1" hits="0"/></class><class filename="b.py"><line number="1" hits="0"/></class>`;
  assert.equal(measured('coverage.xml', both, ['src/a/price.py', 'src/b/price.py', 'src/b/b.py']), ['src/b/b.py']);
  const modules = 'mode: set\nexample.com/m/calc/price.go:1.1,2.2 1 0\n';
  assert.equal(measured('cover.out', modules, ['one/calc/price.go', 'two/calc/price.go']), []);
});

test('RVW-1 what a report is made to look like ends, and is not believed', () => {
  const patch = patchOf({ 'src/price.js': { before: null, after: total } });
  const read = (text: string): unknown => measureCoverage([{ path: 'lcov.info', text }], patch, ['src/price.js']);
  const one = { path: 'src/price.js', report: 'lcov.info', lines: 1, not_run: 1, ranges: [[1, 1]] };
  assert.equal(
    read('{"__proto__":{},"constructor":1,"src/price.js":{"statementMap":{"toString":{"start":{"line":1}}},"s":{}}}'),
    [one],
  );
  assert.equal(read('{"src/price.js":{"statementMap":{"0":{"start":{"line":1}}},"s":{"0":0}},"other.js":{"s":null}}'), [
    one,
  ]);
  assert.equal(read(`{"src/price.js":{"statementMap":"${'x'.repeat(1_000_000)}","s":[null]}}`), []);
  assert.equal(read('SF:src/price.js\nDA:1,0\nDA:2,many\n'), [one]);
  const range = `mode: set\n${'src/price.js:1.1,99999999999999999999.1 1 1\n'.repeat(3)}`;
  assert.equal(read(range), [{ ...one, lines: 8, not_run: 0, ranges: [] }]);
  assert.equal(
    read(`<coverage>${'<source>a</source>'.repeat(50_000)}${'<line number="1" hits="1"/>'.repeat(50_000)}`),
    [],
  );
  assert.equal(
    read(`<coverage><class filename="src/price.js"><line${' a="b"'.repeat(500_000)} number="1" hits="0"/>`),
    [one],
  );
  assert.equal(read(`{"src/price.js":${'['.repeat(1_000_000)}`), []);
});

test('RVW-1 of thousands of files those with the most lines that did not run are kept', () => {
  const names = Array.from({ length: 3_000 }, (_, at) => `src/price-${at}.js`);
  const patch = patchOf(Object.fromEntries(names.map((name) => [name, { before: null, after: total }])));
  const text = names.map((name, at) => `SF:${name}\nDA:1,${at === 2_999 ? 0 : 1}\n`).join('');
  const files = measureCoverage([{ path: 'lcov.info', text }], patch, names);
  assert.equal([files.length, files[0]?.path], [500, 'src/price-2999.js']);
  const long = patchOf(Object.fromEntries(names.map((name) => [name, { before: null, after: 'x();\n'.repeat(200) }])));
  const everySecond = Array.from({ length: 200 }, (_, at) => `DA:${at + 1},${at % 2}\n`).join('');
  const most = measureCoverage(
    [{ path: 'lcov.info', text: names.map((name) => `SF:${name}\n${everySecond}`).join('') }],
    long,
    names,
  );
  assert.ok(JSON.stringify(most).length < 200_000);
  assert.equal([most[0]?.ranges.length, most[400]?.ranges.length], [30, 5]);
});

test('RVW-1 a file is marked by the lines that no test ran, whatever names it', () => {
  const files = {
    'src/price.js': { before: null, after: total },
    'src/quiet.js': { before: null, after: 'export const quiet = () => 1;\n' },
    'test/price.test.js': { before: null, after: "import { total } from '../src/price.js';\n" },
  };
  const marks = (text: string | null): unknown => {
    const tree = Object.keys(files);
    const coverage = text === null ? [] : measureCoverage([{ path: 'coverage/lcov.info', text }], patchOf(files), tree);
    const search = { tests: ['test/price.test.js'], words: new Set<string>(), lines: [] };
    const guide = buildReadingGuide(changesOf(files), [], search, coverage);
    return guide.chapters
      .flatMap((chapter) => chapter.files)
      .flatMap((file) => file.marks.map(({ reason }) => `${file.path}: ${reason}`));
  };
  const untested = 'src/quiet.js: no test changed with it, and none has its name';
  assert.equal(marks(null), [untested]);
  assert.equal(marks(lcov('src/price.js')), [
    'src/price.js: 2 of 7 changed lines ran in no test (5-6), by coverage/lcov.info',
    untested,
  ]);
  const quiet = 'SF:src/quiet.js\nDA:1,2\nend_of_record\n';
  assert.equal(marks(quiet), []);
});

test.run();
