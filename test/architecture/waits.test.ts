import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { packageRoot } from '../../lib/util/user-folders.ts';

/** Each file of tests that awaits a timer, with the reason why no event does. */
const waits = {
  'support/until.ts': 'the one poll',
  'support/machine-chaos.ts': 'stops and cuts last as long as chance has it',
  'support/remote-lines.ts': 'a line that is slow',
  'cell/cell-processes.test.ts': 'a stop at any moment of the making',
  'cell/killed-parent.ts': 'a kill at any moment of the making',
  'engine/conflict-detection/conflict-detector.test.ts': 'the limit of a wait',
};

test('no other test awaits a time: `until` waits for a state, and a clock is put forward', () => {
  const folder = join(packageRoot(), 'test');
  const timer = /import \{[^}]*\bsetTimeout\b[^}]*\} from 'node:timers\/promises'|\w+\) => setTimeout\(\w+,/;
  const found = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && timer.test(readFileSync(join(folder, file), 'utf8')))
    .sort();
  assert.equal(found, Object.keys(waits).sort());
});

test.run();
