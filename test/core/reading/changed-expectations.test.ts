import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { reasonsOf } from './changes.ts';

const templates: Readonly<Record<string, (body: string) => string>> = {
  'test/a.test.ts': (body) => `test('adds', async () => {\n  prepare();\n  ${body}\n});\n`,
  'tests/test_a.py': (body) => `def test_a():\n    prepare()\n    ${body}\n`,
  'a_test.go': (body) => `func TestA(t *testing.T) {\n\tprepare()\n\t${body}\n}\n`,
  'tests/a.rs': (body) => `#[test]\nfn adds() {\n    prepare();\n    ${body}\n}\n`,
  'src/test/java/ATest.java': (body) => `@Test\nvoid adds() {\n  prepare();\n  ${body}\n}\n`,
};

function reasonsOfBody(path: string, before: string, after: string): readonly string[] {
  const write = templates[path] ?? ((body: string) => body);
  return reasonsOf(path, { before: write(before), after: write(after) }, 'weaker-check');
}

const [js, python, go, rust, java] = Object.keys(templates) as [string, string, string, string, string];

/** A file, its assertion before and after, and the evidence. */
const others: readonly (readonly [string, string, string, string])[] = [
  [js, 'expect(total).toBe(10);', 'expect(total).toBe(11);', 'expect(total).toBe(10) → 11'],
  [js, "assert.equal(f(1), 'a');", "assert.equal(f(1), 'b');", "assert.equal(f(1), 'a') → 'b'"],
  [js, 'assert.is(a, 1);', 'assert.is(a, null);', 'assert.is(a, 1) → null'],
  [js, "expect(a).toEqual(['x', 'y']);", "expect(a).toEqual(['x']);", "expect(a).toEqual(['x', 'y']) → 'x'"],
  [
    js,
    "expect(a).toEqual({\n    b: 1,\n    c: '2',\n  });",
    "expect(a).toEqual({\n    b: 1,\n    c: '3',\n  });",
    "expect(a).toEqual({ b: 1, c: '2' → '3'",
  ],
  [js, ".get('/a')\n  .expect(200)", ".get('/a')\n  .expect(404)", '.expect(200) → 404'],
  [
    js,
    'expect(a).toMatchSnapshot(`\n  one\n`);',
    'expect(a).toMatchSnapshot(`\n  two\n`);',
    'expect(a).toMatchSnapshot(` one `) → ` two `',
  ],
  [js, "it.each([\n    ['a', 1],\n  ])", "it.each([\n    ['a', 2],\n  ])", "['a', 1] → 2"],
  [python, 'assert f(1) == 3', 'assert f(1) == 4', 'assert f(1) == 3 → 4'],
  [python, 'assert f() == Some("a")', 'assert f() == Some("b")', 'assert f() == Some("a") → "b"'],
  [python, "self.assertEqual(f(1), 'a')", "self.assertEqual(f(1), 'b')", "self.assertEqual(f(1), 'a') → 'b'"],
  [
    python,
    'with pytest.raises(KeyError, match="a"):',
    'with pytest.raises(KeyError, match="b"):',
    'pytest.raises(KeyError, match="a") → "b"',
  ],
  [python, 'rows = [\n    ("x", 1),\n]', 'rows = [\n    ("x", 2),\n]', '("x", 1) → 2'],
  [go, 'want := 3', 'want := 4', 'want := 3 → 4'],
  [go, '{name: "a", want: "x"},', '{name: "a", want: "y"},', '{name: "a", want: "x"} → "y"'],
  [go, 'if got := f(1); got != 3 {', 'if got := f(1); got != 4 {', 'if got := f(1); got != 3 → 4'],
  [go, 'assert.Equal(t, 200, w.Code)', 'assert.Equal(t, 404, w.Code)', 'assert.Equal(t, 200 → 404'],
  [
    go,
    'assert.Equal(t, http.StatusOK, w.Code)',
    'assert.Equal(t, http.StatusGone, w.Code)',
    'assert.Equal(t, http.StatusOK → http.StatusGone',
  ],
  [rust, 'assert_eq!(f(1), Some(3));', 'assert_eq!(f(1), Some(4));', 'assert_eq!(f(1), Some(3)) → 4'],
  [java, 'assertEquals(3, f(1));', 'assertEquals(4, f(1));', 'assertEquals(3 → 4'],
  [
    java,
    'assertThat(f(1)).isEqualTo("a");',
    'assertThat(f(1)).isEqualTo("b");',
    'assertThat(f(1)).isEqualTo("a") → "b"',
  ],
];

for (const [path, before, after, evidence] of others)
  test(`RVW-1 an assertion that expects another value is marked with both: ${evidence}`, () => {
    assert.equal(reasonsOfBody(path, before, after), [`1 assertion expects another value: ${evidence}`]);
  });

const opposites: readonly (readonly [string, string, string])[] = [
  [js, 'expect(a).toBe(1);', 'expect(a).not.toBe(1);'],
  [js, 'assert.ok(is(a));', 'assert.ok(!is(a));'],
  [python, 'assert f(1) == 3', 'assert f(1) != 3'],
  [python, 'assert "a" in out', 'assert "a" not in out'],
  [rust, 'assert_eq!(f(1), b);', 'assert_ne!(f(1), b);'],
  [java, 'assertTrue(is(a));', 'assertFalse(is(a));'],
];

test('RVW-1 an assertion that expects the opposite is marked, in either direction', () => {
  for (const [path, ...sides] of opposites)
    for (const [before, after] of [sides, [...sides].reverse()] as [string, string][]) {
      const reason = `1 assertion expects the opposite now: ${after}`;
      assert.ok(reasonsOfBody(path, before, after).join().endsWith(reason), reason);
    }
});

test('RVW-1 an assertion on a promise that is not awaited any more is marked, and its way back is not', () => {
  for (const [before, after] of [
    ['await expect(f()).rejects.toThrow(Gone);', 'expect(f()).rejects.toThrow(Gone);'],
    ['return expect(f()).resolves.toBe(1);', 'expect(f()).resolves.toBe(1);'],
    ['await assert.rejects(f(), Gone);', 'assert.rejects(f(), Gone);'],
    ['assert.ok(await f());', 'assert.ok(f());'],
  ] as const) {
    assert.equal(reasonsOfBody(js, before, after), [`1 assertion is no longer awaited: ${after}`]);
    assert.equal(reasonsOfBody(js, after, before), []);
  }
});

test('RVW-1 one mark of a file counts its assertions and shows the first', () => {
  const [before, after] = [
    [10, 20],
    [11, 21],
  ].map((values) => values.map((value) => `expect(f()).toBe(${value});`).join('\n  a();\n  '));
  assert.equal(reasonsOfBody(js, before ?? '', after ?? ''), [
    '2 assertions expect another value: expect(f()).toBe(10) → 11',
  ]);
});

const harmless: readonly (readonly [string, string, string])[] = [
  // Something else is looked at, or it is looked at with something else.
  [js, 'expect(f(1)).toBe(3);', 'expect(f(2)).toBe(3);'],
  [js, 'assert.equal(f(1), 3);', 'assert.equal(f(2), 3);'],
  [js, "assert.equal(a.get('b'), c);", "assert.equal(a.get('d'), c);"],
  [js, 'expect(a).toBe(1);', 'expect(b).toBe(2);'],
  [python, 'assert f(1) == 3', 'assert f(2) == 3'],
  [python, 'assert a["x"] == 3', 'assert b["y"] == 4'],
  [go, 'assert.Equal(t, 3, F(1))', 'assert.Equal(t, 3, F(2))'],
  // A message.
  [js, "assert.equal(a, b, 'one');", "assert.equal(a, b, 'two');"],
  [python, 'assert f(a), "one"', 'assert f(a), "two"'],
  [go, 't.Errorf("one %d", a)', 't.Errorf("two %d", a)'],
  // The same value in other characters.
  [js, "assert.equal(a, 'b');", 'assert.equal(a, "b");'],
  [js, "assert.equal(a, 'one two');", "assert.equal(\n    a,\n    'one ' + 'two',\n  );"],
  [js, 'expect(a).toEqual([1, 2]);', 'expect(a).toEqual([\n    1,\n    2,\n  ]);'],
  [python, 'assert a == 1', 'assert a == 1  # why'],
  [java, 'assertThat(a).isEqualTo(Boolean.TRUE);', 'assertThat(a).isEqualTo(true);'],
  [go, 'assert.Equal(t, obj.Foo, "bar")', 'assert.Equal(t, "bar", obj.Foo)'],
  // Another assertion, an earlier one elsewhere, or what is none.
  [js, 'expect(a).toBe(1);', 'expect(a).toBe(1);\n  expect(a).toBe(2);'],
  [js, 'expect(a).toBe(1);\n  b();\n  c();', 'b();\n  c();\n  expect(a).toBe(1);'],
  [python, 'with pytest.raises(Exception):', 'with pytest.raises(ValueError):'],
  [js, 'const port = 1;', 'const port = 2;'],
  [js, 'const a = await f(1);', 'const a = f(1);'],
  [js, 'expect(await f()).toBe(1);', 'expect(f()).toBe(1);'],
];

test('RVW-1 an assertion on something else, with another message or in other characters is not marked', () => {
  for (const [path, before, after] of harmless)
    assert.equal(reasonsOfBody(path, before, after), [], `${before} → ${after}`);
});

test.run();
