import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { FlameError } from '../../../lib/domain/flame-error.ts';
import { collectWithYields } from '../../../lib/engine/post-check/judge-commits.ts';

test('PCK-3 parts are all taken, in their order', async () => {
  const parts = Array.from({ length: 1_000 }, (_, index) => (index % 3 === 0 ? [] : [index, -index]));
  assert.equal(await collectWithYields(parts, undefined), parts.flat());
});

test('LIF-3 a stop is heard while parts are judged', async () => {
  const stop = new AbortController();
  function* withoutEnd(): Generator<readonly string[]> {
    for (;;) yield [];
  }
  const judging = collectWithYields(withoutEnd(), stop.signal);
  setImmediate(() => stop.abort());
  const error: unknown = await judging.catch((reason: unknown) => reason);
  assert.is(error instanceof FlameError && error.code, 'interrupted');
});

test.run();
