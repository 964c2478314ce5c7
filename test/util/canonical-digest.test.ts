import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { canonicalJson } from '../../lib/util/canonical-digest.ts';

const stock = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) => {
    if (typeof part !== 'object' || part === null || Array.isArray(part)) return part;
    return Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)));
  });

test('canonical JSON is what JSON.stringify makes of the value with its keys in order', () => {
  const values: readonly unknown[] = [
    null,
    'plain',
    'quote " backslash \\ newline \n \u0000 \u007f \u2028 é 🔥 \ud800',
    -0,
    1e21,
    Number.NaN,
    [],
    {},
    [undefined, () => 1, Symbol('x'), [null, [{}]]],
    { b: 1, a: { d: undefined, c: [{ z: 1, y: 'é' }] }, 'key "quoted"': true, é: 1 },
    { at: new Date(0), list: [new Date(1)], nothing: () => 1 },
  ];
  for (const value of values) assert.is(canonicalJson(value), stock(value));
  assert.is(canonicalJson({ b: 1, a: [{ d: 2, c: 3 }] }), '{"a":[{"c":3,"d":2}],"b":1}');
});

test.run();
