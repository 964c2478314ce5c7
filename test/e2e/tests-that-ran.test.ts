import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { GuideChapterData } from '../../lib/domain/questions/guide-summary.ts';
import { makeExecProject, writeDecisions, writePlan } from '../support/exec-project.ts';
import { flame, flameJson } from '../support/flame.ts';

const script = String.raw`
mkdir -p src test coverage
printf 'export function total(a, discount) {\n  if (discount > 1) {\n    return 0;\n  }\n  return a;\n}\n' > src/price.js
printf "import { total } from '../src/price.js';\nimport test from 'node:test';\ntest('total', () => { if (total(1) !== 1) throw new Error(); });\n" > test/price.test.js
echo '{"type":"module"}' > package.json
printf 'SF:src/price.js\nDA:1,1\nDA:2,1\nDA:3,9\nDA:4,9\nDA:5,1\nend_of_record\n' > coverage/lcov.info
ln -s coverage more && ln -s coverage/lcov.info forged.lcov
`;
const command =
  'node --test --experimental-test-coverage --test-reporter=lcov --test-reporter-destination=lcov.info test/price.test.js';

test('RVW-1 the lines that no test ran are marked by the report that the checks wrote, not by one that a worker wrote', async () => {
  const repo = makeExecProject({ config: { validation: { validator_diagnostics: { commands: [command] } } } });
  const plan = writePlan(repo, [
    { id: 'task-001', script, locks: ['src/*', 'test/*', 'coverage/*', 'package.json', 'more', 'forged.lcov'] },
  ]);
  const decisions = writeDecisions(repo, { plan: ['approve'], changesets: ['skip'] });
  await flame(repo, ['run', 'Price', '--from', plan, '--decisions-file', decisions]);
  const [shown] = (await flameJson(repo, ['show', '1-main'])).lines as readonly {
    readonly guide: readonly GuideChapterData[];
  }[];
  const files = shown?.guide.flatMap((chapter) => chapter.files) ?? [];
  assert.equal(files.find(({ path }) => path === 'src/price.js')?.marks, [
    { kind: 'no-test', reason: '2 of 6 changed lines ran in no test (3-4), by lcov.info' },
  ]);
  assert.match(
    (await flame(repo, ['show', '1-main'])).stdout,
    /2 of 6 changed lines ran in no test \(3-4\), by lcov\.info/,
  );
});

test.run();
