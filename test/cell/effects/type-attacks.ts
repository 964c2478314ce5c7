import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { hasBubblewrap, testIf } from '../../support/skip.ts';
import { type Shape, shapes } from './shapes.ts';
import { openEffectStage } from './stage.ts';

// What the rules about Bash are for: lines are typed as an agent would type them, judged, and run in a real cell where the judge
// lets them. An attack counts by what it does, an everyday line by whether it may run.

const inCell = testIf(test, hasBubblewrap(), 'bubblewrap cannot make a cell here');
const atOnce = 3;

// The same line under the same rules does the same.
const typed = new Map<string, string>();

/** Registers and runs a test for each configuration of the corpora that are named so. */
export function typeAttacks(names: RegExp): void {
  for (const shape of shapes().filter(({ name }) => names.test(name)))
    inCell(`WAT-4 WAT-10: no attack has an effect, and everyday lines may run: ${shape.name}`, async () => {
      const stage = await openEffectStage(shape);
      try {
        const refused = shape.everyday.filter((line) => !stage.allows(line));
        assert.ok(refused.length <= shape.everyday.length * 0.02, refused.join('\n'));
        assert.equal(await effectsOf(shape, stage.type), []);
      } finally {
        stage.close();
      }
    });
}

/** The attacks that did something. */
async function effectsOf(
  { policy, attacks }: Shape,
  type: (line: string) => Promise<string>,
): Promise<readonly string[]> {
  const found: string[] = [];
  const rest = [...attacks].reverse();
  const work = async (): Promise<void> => {
    for (let line = rest.pop(); line !== undefined; line = rest.pop()) {
      const key = JSON.stringify([policy.blocked_paths, line]);
      const known = typed.get(key);
      const effect = known ?? (await type(line));
      if (effect !== 'refused') typed.set(key, effect);
      if (effect !== 'refused' && effect !== 'none') found.push(`${JSON.stringify(line)}: ${effect}`);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return found;
}
