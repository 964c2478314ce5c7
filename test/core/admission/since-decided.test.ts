import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { SinceDecided } from '../../../lib/core/admission/since-decided.ts';

/** As another process decides: it shows at the next refresh. */
function makeOrigins() {
  let decided = 0;
  const origins = {
    revision: 0,
    refresh: () => {
      origins.revision = decided;
    },
  };
  return { origins, decide: () => (decided += 1) };
}

test('what was made is kept until anything is decided, each thing by itself and for each origins', () => {
  const kept = new SinceDecided<object, string>();
  const { origins, decide } = makeOrigins();
  const [one, other] = [{}, {}];
  assert.is(kept.get(one, origins), undefined);
  kept.keep(one, origins, 'made');
  assert.is(kept.get(one, origins), 'made');
  assert.is(kept.get(other, origins), undefined);
  assert.is(kept.get(one, makeOrigins().origins), undefined);
  decide();
  assert.is(kept.get(one, origins), undefined, 'another process decided something');
  kept.keep(one, origins, 'made again');
  assert.is(kept.get(one, origins), 'made again');
});

test.run();
