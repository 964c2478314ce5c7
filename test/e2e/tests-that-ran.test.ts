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

const packages = String.raw`
for name in a b; do mkdir -p packages/$name/src packages/$name/test; done
printf 'export function total(a, discount) {\n  if (discount > 1) {\n    return 0;\n  }\n  return a;\n}\n' | tee packages/a/src/price.js packages/b/src/price.js > /dev/null
printf "import { total } from '../src/price.js';\nimport test from 'node:test';\ntest('total', () => { total(1); });\n" > packages/a/test/price.test.js
printf 'const path = process.cwd() + "/packages/b/src/price.js";\nconst place = { start: { line: 5 } };\nconsole.log(JSON.stringify({ [path]: { statementMap: { 0: place }, s: { 0: 0 } } }));\n' > packages/b/test/write.cjs
echo '{"type":"module"}' > package.json
`;

test('RVW-1 each package is measured by its own report, also by whole paths of the worktree', async () => {
  const commands = [`cd packages/a && ${command}`, 'node packages/b/test/write.cjs > coverage-final.json'];
  const repo = makeExecProject({ config: { validation: { validator_diagnostics: { commands } } } });
  const plan = writePlan(repo, [{ id: 'task-001', script: packages, locks: ['packages/**', 'package.json'] }]);
  const decisions = writeDecisions(repo, { plan: ['approve'], changesets: ['skip'] });
  await flame(repo, ['run', 'Prices', '--from', plan, '--decisions-file', decisions]);
  const { stdout } = await flame(repo, ['show', '1-main']);
  assert.match(stdout, /2 of 6 changed lines ran in no test \(3-4\), by packages\/a\/lcov\.info/);
  assert.match(stdout, /1 of 1 changed line ran in no test \(5\), by coverage-final\.json/);
});

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
