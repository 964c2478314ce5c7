import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { buildReadingGuide, listWordsToSearch } from '../../../lib/core/reading/build-reading-guide.ts';
import type { TreeSearch } from '../../../lib/core/reading/test-coverage.ts';
import { changesOf, type FileSides } from './changes.ts';

type Files = Readonly<Record<string, FileSides>>;

const edited = (before: string, after: string): FileSides => ({ before, after });
const added = (after: string): FileSides => ({ before: null, after });
const deleted = (before: string): FileSides => ({ before, after: null });

/** The marks of each file that has some, as `kind: reason`; `found`: lines of the tree, by their path. */
function marksOf(
  files: Files,
  found: readonly (readonly [string, string])[] = [],
  tests: readonly string[] = ['test/all.test.ts'],
): unknown {
  const changes = changesOf(files);
  const search: TreeSearch = {
    tests,
    words: new Set(listWordsToSearch(changes, tests)),
    lines: found.map(([path, text]) => ({ path, text })),
  };
  const guided = buildReadingGuide(changes, [], search).chapters.flatMap((chapter) => chapter.files);
  return Object.fromEntries(
    guided.flatMap(({ path, marks }) =>
      marks.length === 0 ? [] : [[path, marks.map(({ kind, reason }) => `${kind}: ${reason}`)]],
    ),
  );
}

/** The marks of one file but for the one that no test names it. */
function marksOfOne(path: string, sides: FileSides): unknown {
  const all = marksOf({ [path]: sides }) as Readonly<Record<string, readonly string[]>>;
  return (all[path] ?? []).filter((mark) => !mark.startsWith('no-test'));
}

const names: readonly (readonly [string, string, string, string, string])[] = [
  [
    'TypeScript',
    'lib/a.ts',
    'export function parse(\n  text: string,\n): string {\n}\nexport const limit = 1;\nexport interface Kept {\n}\n',
    'export function parse(\n  text: string,\n  now: number,\n): string {\n}\nexport interface Kept {\n  a: 1;\n}\n',
    'limit is gone; parse has now: number now',
  ],
  [
    'JavaScript',
    'lib/a.js',
    'module.exports = { parse, limit };\nexports.more = 1;\n',
    'module.exports = { parse };\n',
    'more and limit are gone',
  ],
  [
    'Python',
    'a/b.py',
    'def parse(text):\n    pass\n\nclass Token(Base):\n    def read(self, n: int) -> str:\n        pass\n    def _own(self):\n        pass\n',
    'async def parse(text):\n    pass\n\nclass Token(Base):\n    def read(self, n: int = 1) -> str:\n        pass\n',
    'read has = 1 now',
  ],
  [
    'Python',
    'a/c.py',
    'Shell = t.TypeVar("Shell")\n\nclass Item:\n    def __getattr__(self, name):\n        pass\n    def one(self, a):\n        pass\n    def two(self, a):\n        pass\n    def three(self, a):\n        pass\n',
    '_Shell = t.TypeVar("_Shell")\n\nclass Item:\n    def one(self, b):\n        pass\n    def two(self, b):\n        pass\n    def three(self, b):\n        pass\n',
    '__getattr__ and Shell are gone; one: a → b; two: a → b; and 1 more',
  ],
  [
    'Go',
    'a/b.go',
    'func (s *Store) Get(key string) string {\n}\nfunc (s *Store) Wait() <-chan bool { return s.a }\nfunc own() {}\ntype Kind int\n',
    'func (s *Store) Get(key string) (string, error) {\n}\nfunc (s *Store) Wait() <-chan bool { return s.b }\n',
    'Kind is gone; Get: string → (string, error)',
  ],
  [
    'Rust',
    'src/b.rs',
    'pub fn parse(s: &str) -> Token {\n}\npub(crate) fn own() {\n}\npub struct Old;\n',
    'pub fn parse(s: &[u8]) -> Token {\n}\n',
    'Old is gone; parse: str → [u8]',
  ],
  [
    'C',
    'src/b.h',
    '#define MAX(a) (a)\nint parse(const char *s,\n          int n);\nstatic int own(void);\nvoid gone(void);\n',
    'int parse(const char *s,\n          size_t n);\nstatic int own2(void);\n',
    'gone and MAX are gone; parse: int → size_t',
  ],
  [
    'Java',
    'a/B.java',
    'public class B {\n  public String parse(String s) {\n  }\n  private void own() {\n  }\n  protected void gone() {\n  }\n}\n',
    'public class B {\n  public String parse(String s, int n) {\n  }\n}\n',
    'gone is gone; parse has int n now',
  ],
  [
    'TypeScript classes',
    'lib/c.ts',
    'class Own {\n  cut() {}\n}\nexport class Api<\n  T,\n> extends Base {\n  #own(a) {}\n  private hidden() {}\n  constructor(readonly a: string) {}\n  get(key: string): T {\n    if (key) {\n      inner(key);\n    }\n  }\n  static async open(): Promise<void> {}\n}\n',
    'export class Api<\n  T,\n> extends Base {\n  constructor(readonly a: number) {}\n  get(key: string, now: number): T {\n    if (now) {}\n  }\n}\nclass Late {\n  open() {}\n}\n',
    'open is gone; Api: string → number; get has now: number now',
  ],
  [
    'JavaScript classes',
    'lib/c.js',
    'class Api {\n\tread (a) {\n\t}\n\tgone () {\n\t}\n}\nmodule.exports = Api\n',
    'class Api {\n\tread (a, b) {\n\t}\n}\nmodule.exports = Api\n',
    'gone is gone; read has b now',
  ],
  [
    'Python classes',
    'a/d.py',
    'class Shop(\n  Base,\n):\n  def __init__(self, a):\n    def inner(b): pass\n  def __mangled(self): pass\n  def sell(self, a): pass\n\nclass _Own:\n    def gone(self): pass\n\ndef run():\n    def nested(): pass\n',
    'class Shop(\n  Base,\n):\n  def __init__(self, a, c):\n    pass\n  def sell(self, a, b): pass\n\ndef run():\n    pass\n',
    'Shop has c now; sell has b now',
  ],
  [
    'Go blocks',
    'a/c.go',
    'const (\n\tOne Kind = iota\n\tTwo\n\town\n)\n\nvar (\n\tErrGone = errors.New("a")\n)\n\ntype Store interface {\n\tGet(key string) error\n}\n',
    'const (\n\tOne Kind = iota\n)\n\ntype Store interface {\n\tGet(key string, n int) error\n}\n',
    'Two and ErrGone are gone; Get has n int now',
  ],
  [
    'Rust traits',
    'src/c.rs',
    'pub trait Read {\n    fn next(&self) -> u8;\n    fn gone(&self) {\n    }\n}\nimpl Own for A {\n    pub fn open(&self) {}\n}\n',
    'pub trait Read {\n    fn next(&self) -> u16;\n}\nimpl Own for A {\n    pub fn open(&self, n: u8) {}\n}\n',
    'gone is gone; open has n: u8 now; next: u8 → u16',
  ],
  [
    'Java interfaces',
    'a/C.java',
    'public interface C<T> {\n    /** Reads it. */\n    Map<String, T> read(String s);\n    default void gone() {\n        own(1);\n    }\n}\n',
    'public interface C<T> {\n    Map<String, T> read(String s, int n);\n}\n',
    'gone is gone; read has int n now',
  ],
  [
    'C# interfaces',
    'a/C.cs',
    'namespace N\n{\n    public interface IC\n    {\n        Task<int> Read(string s);\n    }\n}\n',
    'namespace N\n{\n    public interface IC\n    {\n        Task<int> Read(string s, int n);\n    }\n}\n',
    'Read has int n now',
  ],
];

for (const [language, path, before, after, reason] of names)
  test(`${language}: a public name that is gone, or has another signature, is marked`, () => {
    assert.equal(marksOfOne(path, edited(before, after)), [`public-name: ${reason}`]);
    assert.equal(marksOfOne(path, edited(after, after.replace(/\n/g, '\n\n'))), []);
  });

test('a name that moved is followed, and one that is gone though files still name it comes first', () => {
  const files = {
    'lib/a.ts': edited('export function shortName() {}\nexport function otherName() {}\nlet a;\n', 'let a;\n'),
    'lib/b.ts': edited('let b;\n', 'let b;\nexport function shortName() {}\n'),
  };
  const found = [
    ['lib/c.ts', 'otherName()'],
    ['lib/b.ts', 'otherName()'],
    ['test/all.test.ts', 'shortName()'],
  ] as const;
  assert.equal(marksOf(files, found), {
    'lib/a.ts': [
      'public-name: otherName is gone, but lib/c.ts names it; shortName moved to lib/b.ts, but test/all.test.ts names it',
      'no-test: no test changed with it, and none has its name',
    ],
  });
});

const weaker: readonly (readonly [string, string, FileSides, readonly string[]])[] = [
  [
    'assertions',
    'test/a.test.ts',
    edited(
      "test('a', () => {\n  assert.is(a, 1);\n  assert.is(b, 1);\n});\n",
      "test('a', () => {\n  assert.is(a, 1);\n});\n",
    ),
    ['1 assertion fewer'],
  ],
  [
    'a test',
    'tests/test_a.py',
    edited('def test_a():\n    assert f() == 1\n\ndef test_b():\n    x()\n', 'def test_a():\n    assert f() == 1\n'),
    ['1 test fewer'],
  ],
  [
    'looser',
    'test/a.test.ts',
    edited('expect(a).toBe(1);\n', 'expect(a).toBeTruthy();\n'),
    ['1 exact assertion became loose'],
  ],
  ['skip', 'test/a.test.ts', edited("it('a', f);\n", "it.skip('a', f);\n"), ['adds `it.skip`']],
  ['only', 'test/a.test.ts', edited("describe('a', f);\n", "fdescribe('a', f);\n"), ['adds `fdescribe(`']],
  [
    'xfail',
    'tests/test_a.py',
    edited('def test_a():\n    f()\n', '@pytest.mark.xfail\ndef test_a():\n    f()\n'),
    ['adds `pytest.mark.xfail`'],
  ],
  [
    'Go',
    'a/b_test.go',
    edited('func TestA(t *testing.T) {\n}\n', 'func TestA(t *testing.T) {\n\tt.Skip("later")\n}\n'),
    ['adds `t.Skip(`'],
  ],
  ['Rust', 'tests/a.rs', edited('#[test]\nfn a() {}\n', '#[test]\n#[ignore]\nfn a() {}\n'), ['adds `#[ignore`']],
  [
    'Java',
    'src/test/java/ATest.java',
    edited('@Test\nvoid a() {}\n', '@Disabled\n@Test\nvoid a() {}\n'),
    ['adds `@Disabled`'],
  ],
  [
    'a rule',
    '.eslintrc.json',
    edited('{"rules": {\n"no-eval": "error"\n}}\n', '{"rules": {\n"no-eval": "off"\n}}\n'),
    ['adds `"no-eval": "off"`'],
  ],
  [
    'warnings',
    'pyproject.toml',
    edited(
      '[project]\ndependencies = [\n  "colorama",\n]\n[tool.pytest.ini_options]\nfilterwarnings = [\n  "error",\n]\n',
      '[project]\ndependencies = [\n]\n[tool.pytest.ini_options]\nfilterwarnings = [\n  "default",\n]\n',
    ),
    ['no longer has `"error",`'],
  ],
  ['strictness', 'tsconfig.json', edited('{\n"strict": true\n}\n', '{\n}\n'), ['no longer has `"strict": true`']],
  ['a flag', 'Makefile', edited('CFLAGS=-O2 -Werror\n', 'CFLAGS=-O2\n'), ['no longer has `-Werror`']],
  [
    'a comment',
    'lib/a.ts',
    edited('let a = 1;\n', '// eslint-disable-next-line\nlet a = 1;\n'),
    ['adds `eslint-disable-next-line`'],
  ],
  ['threshold', 'jest.config.js', edited('branches: 90,\n', 'branches: 70,\n'), ['branches 90 → 70']],
  [
    'timeout',
    'test/a.test.ts',
    edited('const timeoutMs = 1_000;\n', 'const timeoutMs = 60_000;\n'),
    ['timeoutMs 1000 → 60000'],
  ],
  ['TLS', 'lib/a.py', edited('get(u)\n', 'get(u, verify=False)\n'), ['adds `verify=False`']],
  ['|| true', 'Makefile', edited('check:\n\tnpm test\n', 'check:\n\tnpm test || true\n'), ['adds `|| true`']],
  [
    'a step',
    '.github/workflows/ci.yml',
    edited('steps:\n- run: npm ci\n- run: npm run lint\n- run: npm test\n', 'steps:\n- run: npm ci\n- run: npm test\n'),
    ['a step is gone: npm run lint'],
  ],
  [
    'a hook',
    '.pre-commit-config.yaml',
    edited('repos:\n- hooks:\n  - id: mypy\n  - id: ruff\n', 'repos:\n- hooks:\n  - id: ruff\n'),
    ['mypy no longer runs'],
  ],
  [
    'a name',
    'tests/test_a.py.bak',
    { before: 'x\n', after: 'x\n', movedFrom: { path: 'tests/test_a.py', similarity: 100 }, oldMode: '100644' },
    ['its new name is not that of a test'],
  ],
  [
    'a comment of a line',
    'test/a.test.ts',
    edited("it('a', f);\nexpect(a).toBe(1);\n", "// it('a', f);\n// expect(a).toBe(1);\n"),
    ['1 test fewer; 1 assertion fewer'],
  ],
  [
    'a comment of several lines',
    'test/a.test.ts',
    edited("f();\nit('a', f);\ng();\n", "f();\n/*\nit('a', f);\n*/\ng();\n"),
    ['1 test in comments now'],
  ],
  [
    'always true',
    'test/a.test.ts',
    edited('expect(a).toBe(1);\n', 'expect(true).toBe(true);\n'),
    ['1 exact assertion became loose'],
  ],
  [
    'far to the right',
    'test/a.test.ts',
    edited("it('a', f);\n", `${' '.repeat(2_000)}it.skip('a', f);\n`),
    ['adds `it.skip`'],
  ],
  [
    'at the end of a long line',
    'test/a.test.ts',
    edited("it('a', f);\n", `f('${'a'.repeat(1_990)}'); it.skip('a', f);\n`),
    ['1 test fewer; adds `it.skip`'],
  ],
  [
    'a step in a comment',
    '.github/workflows/ci.yml',
    edited('steps:\n- run: npm ci\n- run: npm test\n', 'steps:\n- run: npm ci\n# - run: npm test\n'),
    ['a step is gone: npm test'],
  ],
  [
    'a pipeline by another name',
    'docs/ci.txt',
    renamed('.github/workflows/ci.yml'),
    ['by its new name no longer a pipeline'],
  ],
  ['settings by a new name', 'jest.config.js', renamed('lib/a.txt'), ['by its new name settings of a tool']],
  ['a program by a new name', 'lib/run.js', renamed('notes.txt'), ['by its new name a program']],
  ['a test out of its folder', 'old/a.test.ts', renamed('test/a.test.ts'), ['moved out of test/']],
];

function renamed(from: string): FileSides {
  return { before: 'x\n', after: 'x\n', movedFrom: { path: from, similarity: 100 }, oldMode: '100644' };
}

test('what shows no lines and runs is marked: by its name, as binary, from another place', () => {
  const lock = (from: string): string => `"node_modules/a": {\n  "resolved": "https://${from}/a.tgz",\n`;
  const marks = marksOf({
    'lib/a.min.js': added('evil();\n'),
    'lib/b.js': { ...added(''), hasNul: true },
    'lib/c.so': { ...added(''), hasNul: true },
    'lib/d.png': { ...added(''), hasNul: true },
    'package-lock.json': edited(lock('registry.npmjs.org'), `${lock('evil.example')}  "hasInstallScript": true,\n`),
    'yarn.lock': added('resolved "https://registry.yarnpkg.com/a.tgz"\n'),
    'package.json': edited('{"name": "a"}\n', '{"name": "b"}\n'),
    'test/fixtures/old.txt': added("it('a', f);\n"),
    'test/b.test.ts': edited("it('a', f);\nit('b', f);\n", "it('b', f);\n"),
  }) as Readonly<Record<string, unknown>>;
  const { 'package.json': _, ...found } = marks;
  assert.equal(found, {
    'lib/a.min.js': ['looks-generated: named like generated files (.min.js)'],
    'lib/b.js': ['looks-generated: binary: none of its lines were read'],
    'lib/c.so': ['looks-generated: binary: none of its lines were read'],
    'package-lock.json': [
      'dependencies: gets packages from evil.example; 1 more that runs a script when it is installed',
    ],
    'test/b.test.ts': ['weaker-check: 1 test fewer'],
  });
});

for (const [what, path, sides, reasons] of weaker)
  test(`a check that was made weaker is marked first: ${what} (${path})`, () => {
    const [first] = marksOfOne(path, sides) as readonly string[];
    assert.is(first, `weaker-check: ${reasons.join('; ')}`);
  });

test('settings of other tables are named beside a dependency that changed', () => {
  const text = '[project]\ndependencies = ["a>=1"]\n[tool.ruff]\nline-length = 88\n[tool.mypy]\nfiles = ["src"]\n';
  const after = text.replace('a>=1', 'a>=2').replace('88', '120').replace('[tool.mypy]\nfiles = ["src"]\n', '');
  assert.equal(marksOfOne('pyproject.toml', edited(text, after)), [
    'build: [tool.ruff] changed; [tool.mypy] is gone',
    'dependencies: a >=1 → >=2',
  ]);
});

test('dependencies that are no names with versions are compared too', () => {
  const manifest = (bundled: readonly string[], path: string): string =>
    JSON.stringify({ bundledDependencies: bundled, imports: { '#a': { node: path } } });
  assert.equal(marksOfOne('package.json', edited(manifest(['a'], './a.js'), manifest(['a', 'b'], './b.js'))), [
    'dependencies: bundledDependencies changed; #a {"node":"./a.js"} → {"node":"./b.js"}',
  ]);
});

test('a check that was made stronger, or only moved, is not marked', () => {
  for (const [, path, { before, after, movedFrom }] of weaker) {
    if (movedFrom !== undefined || before === null || after === null) continue;
    const marks = marksOfOne(path, edited(after, before)) as readonly string[];
    assert.equal(
      marks.filter((mark) => mark.startsWith('weaker-check')),
      [],
      path,
    );
  }
  const one = "test('a', () => {\n  assert.is(a, 1);\n});\n";
  assert.equal(
    marksOf({
      'test/a.test.ts': edited(`let x;\n${one}`, 'let x;\n'),
      'test/b.test.ts': edited('let y;\n', `let y;\n${one}`),
    }),
    {},
  );
});

const mocks: readonly (readonly [string, string, string, string])[] = [
  ['lib/price.ts', 'test/price.test.ts', "import { total } from '../lib/price.ts';", "vi.mock('../lib/price.ts', f);"],
  ['src/price.js', 'src/cart.test.js', "import * as price from './price';", "sinon.stub(price, 'total').returns(3);"],
  [
    'src/price.js',
    'src/cart.test.js',
    "import * as price from './price';",
    "jest.spyOn(price, 'total').mockReturnValue(3);",
  ],
  ['shop/price.py', 'tests/test_price.py', 'from shop.price import total', "@patch('shop.price.total')"],
  ['shop/price.py', 'tests/test_price.py', 'from shop import price', "monkeypatch.setattr(price, 'total', f)"],
];

test('RVW-1 a test that replaces the changed file it is about is marked', () => {
  for (const [source, path, imported, mock] of mocks) {
    const [old, now] = source.endsWith('.py')
      ? ['def total():\n    return 1\n', 'def total():\n    return 2\n']
      : ['export function total() {\n  return 1;\n}\n', 'export function total() {\n  return 2;\n}\n'];
    const written = edited(`${imported}\na()\n`, `${imported}\n${mock}\na()\n`);
    const mark = `weaker-check: replaces what it tests, ${source}: ${mock}`;
    assert.equal(marksOf({ [source]: edited(old, now), [path]: written }), { [path]: [mark] });
    // It did so before, or the file is as it was.
    assert.equal(
      marksOf({
        [source]: edited(old, now),
        [path]: edited(`${imported}\n${mock}\na()\n`, `${imported}\n  ${mock}\nb()\n`),
      }),
      {},
    );
    assert.equal(marksOf({ [path]: written }), {});
  }
});

test('RVW-1 a test may replace what it is not about, and watch what it is', () => {
  const [old, now] = ['export function total() {\n  return 1;\n}\n', 'export function total() {\n  return 2;\n}\n'];
  const imported = "import { add } from '../lib/cart.ts';\nimport * as price from '../lib/price.ts';\n";
  for (const line of ["vi.mock('../lib/price.ts');\n", "vi.spyOn(price, 'total');\n", "vi.mock('axios');\n"])
    assert.equal(
      marksOf({
        'lib/price.ts': edited(old, now),
        'lib/cart.ts': edited(old.replace('total', 'add'), now.replace('total', 'add')),
        'test/cart.test.ts': edited(imported, imported + line),
      }),
      {},
    );
});

test('a deleted test says what went with it', () => {
  assert.equal(marksOf({ 'test/a.test.ts': deleted("test('a', () => {\n  assert.is(a, 1);\n});\n") }), {
    'test/a.test.ts': ['weaker-check: 1 test with 1 assertion deleted', 'deletion: deleted with 3 lines'],
  });
});

test('modes, links and submodules are marked with what they are', () => {
  assert.equal(
    marksOf({
      'a.md': { ...edited('a\n', 'a\n'), newMode: '100755' },
      'b.md': { ...added('../../etc/passwd'), newMode: '120000' },
      c: { ...added(''), newMode: '160000' },
    }),
    {
      'a.md': ['permissions: executable now'],
      'b.md': ['permissions: a symbolic link to ../../etc/passwd'],
      c: ['permissions: a submodule at 2222222222'],
    },
  );
});

const manifests: readonly (readonly [string, string, string, readonly string[]])[] = [
  [
    'package.json',
    '{"scripts": {"test": "x"}, "dependencies": {"a": "1"}}\n',
    '{"scripts": {"test": "true"}, "dependencies": {"a": "2", "b": "1"}}\n',
    ['build: script test x → true', 'dependencies: a 1 → 2; b 1 is new'],
  ],
  ['go.mod', 'module m\n', 'module m\nrequire github.com/a/b v1.2.3\n', ['dependencies: github.com/a/b v1.2.3 is new']],
  [
    'Cargo.toml',
    '[dependencies]\na = "1"\n[features]\nx = []\n',
    '[dependencies]\na = { version = "2", features = ["y"] }\n[dependencies.b]\nversion = "3"\ndefault-features = false\n[features]\nx = []\n',
    ['dependencies: a 1 → 2; b 3 is new'],
  ],
  [
    'pyproject.toml',
    '[project]\ndependencies = [\n  "a>=1",\n]\n[tool.x]\nselect = ["E"]\n',
    '[project]\ndependencies = [\n  "a>=1",\n  "b; os_name == \'nt\'",\n]\n[tool.x]\nselect = ["E"]\n',
    ['dependencies: b ; os_name == is new'],
  ],
  ['requirements.txt', 'a==1\n', 'a==2\n', ['dependencies: a ==1 → ==2']],
  [
    'pom.xml',
    '<plugin>\n<artifactId>a</artifactId>\n<version>1</version>\n</plugin>\n',
    '<plugin>\n<artifactId>a</artifactId>\n<version>2</version>\n</plugin>\n',
    ['dependencies: a 1 → 2'],
  ],
  ['yarn.lock', 'a\n', 'b\n', ['dependencies: changed, and no list of dependencies did']],
];

for (const [path, before, after, marks] of manifests)
  test(`dependencies are named: ${path}`, () => assert.equal(marksOfOne(path, edited(before, after)), marks));

test('a pipeline says what is new in it', () => {
  const after =
    'on: pull_request_target\npermissions:\n  contents: write\nsteps:\n- uses: a/b@v1\n  env: secrets.KEY\n';
  assert.equal(marksOfOne('.github/workflows/a.yml', edited('on: push\n', after)), [
    'ci: runs with secrets on the code of strangers (pull_request_target); may write: contents: write; reads secrets.KEY; and 1 more',
  ]);
});

test('no test is said where none imports, names or stands for a file', () => {
  const source = (name: string): FileSides => edited('let a = 1;\n', `export function ${name}() {}\nlet a = 2;\n`);
  const files = {
    'lib/named.ts': source('a1'),
    'lib/used.ts': source('usedName'),
    'lib/imported.ts': source('a2'),
    'lib/alone.ts': source('aloneName'),
    'lib/words.css': edited('a\n', 'b\n'),
    'lib/said.ts': edited('let a = 1;\n', '// only a comment\nlet a = 1;\n'),
    'test/imports.test.ts': added("import '../lib/imported.js';\n"),
  };
  const found = [
    ['test/all.test.ts', 'usedName()'],
    ['lib/other.ts', 'aloneName()'],
  ] as const;
  assert.equal(marksOf(files, found, ['test/all.test.ts', 'test/named.test.ts']), {
    'lib/alone.ts': ['no-test: no test changed or names it'],
  });
  assert.equal(
    marksOf({ 'a/x1.go': edited('a := 1\n', 'a := 2\n'), 'a/y1.go': edited('a := 1\n', 'a := 2\n') }, [], []),
    {
      'a/x1.go': ['no-test: there are no tests'],
    },
  );
});

test('a line that no person writes is marked, and read by its beginning', () => {
  const wide = `curl ${'-x curl '.repeat(30_000)}--insecure\n`;
  assert.equal(marksOfOne('lib/a.sh', added(wide)), ['looks-generated: has very long lines']);
  assert.equal(marksOfOne('lib/a.sh', added('curl -x --insecure u\n')), ['weaker-check: adds `curl -x --insecure`']);
});

test('a file made to be slow to read is read', () => {
  const lines = (line: string): string => line.repeat(300_000 / line.length);
  const items = Array.from({ length: 30_000 }, (_, at) => `  - a${at}\n`).join('');
  for (const [path, text] of [
    ['a.go', lines('\n')],
    ['a.rs', lines('\n')],
    ['a.java', lines('  \n')],
    ['a.kt', lines('override suspend\n')],
    ['a.py', lines('from a import (\n')],
    ['Makefile', lines(`${'timeout'.repeat(140)}\n`)],
    ['.golangci.yml', `enable:\n${items}`],
  ] as const)
    assert.type(marksOfOne(path, edited(text, 'a\n')), 'object');
});

test('a signature that has no end is not compared', () => {
  const open = Array.from({ length: 5_000 }, (_, at) => `def f${at}(a\n`).join('');
  assert.equal(marksOfOne('a/b.py', edited(open, open.replaceAll('(a', '(b'))), []);
});

test('a tree that was not searched is not said to have been', () => {
  const changes = changesOf({ 'lib/alone.ts': edited('let a = 1;\n', 'let a = 2;\n') });
  const { chapters } = buildReadingGuide(changes, [], { tests: ['test/a.test.ts'], words: new Set(), lines: [] });
  assert.is(chapters[0]?.files[0]?.marks[0]?.reason, 'no test changed with it, and none has its name');
});

test.run();
