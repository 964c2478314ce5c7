import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseConfig } from '../../../lib/config/load-config.ts';
import { flame } from '../../support/flame.ts';
import { makeRepo, type TestRepo } from '../../support/repo.ts';
import { hasBubblewrap, testIf } from '../../support/skip.ts';

const inCell = testIf(test, hasBubblewrap(), 'bubblewrap cannot make a cell here');

function projectWith(scripts: Readonly<Record<string, string>>): TestRepo {
  const repo = makeRepo();
  repo.write('package.json', JSON.stringify({ name: 'p', scripts }));
  repo.git('add', '-A');
  repo.git('commit', '-qm', 'project');
  return repo;
}

function checksIn(repo: TestRepo): readonly string[] {
  const text = readFileSync(join(repo.path, '.blueflame.yml'), 'utf8');
  return parseConfig(text, '.blueflame.yml').config.validation.validator_diagnostics.commands;
}

const tried = { env: { PATH: process.env.PATH ?? '' } };

inCell('DSK-4 init offers a check as working once it has passed on the base branch', async () => {
  const repo = projectWith({ test: 'node -e 0' });
  const run = await flame(repo, ['init'], tried);
  assert.is(run.code, 0, run.stderr);
  assert.match(run.stdout, /checks of each task +npm test \(passed\)/);
  assert.equal(checksIn(repo), ['npm test']);
  assert.is(repo.git('worktree', 'list').trim().split('\n').length, 1, 'nothing of the trial is left');
});

inCell('DSK-4 init leaves a check that fails as a comment, with the line that says why', async () => {
  const repo = projectWith({ test: 'a-linter-that-is-not-here' });
  const run = await flame(repo, ['init'], tried);
  assert.is(run.code, 0, run.stderr);
  assert.match(
    run.stdout.replace(/\s+/g, ' '),
    /not proposed npm test fails on main already \(exit 127\): .*a-linter-that-is-not-here.*not found/,
  );
  assert.equal(checksIn(repo), []);
  assert.match(readFileSync(join(repo.path, '.blueflame.yml'), 'utf8'), /^# Tried, not used: npm test/m);
});

inCell('DSK-4 where only what npm runs after the tests needs the network, they are proposed without it', async () => {
  const repo = projectWith({ test: 'node -e 0', posttest: 'npx a-package-that-is-not-here' });
  const run = await flame(repo, ['init'], tried);
  assert.is(run.code, 0, run.stderr);
  assert.equal(checksIn(repo), ['npm test --ignore-scripts']);
});

test('DSK-4 what was not tried says why', async () => {
  const repo = projectWith({ test: 'node -e 0' });
  const without = await flame(repo, ['init', '--no-try', '--dry-run'], tried);
  assert.not.match(without.stdout, '(passed)');
  repo.write('package.json', JSON.stringify({ scripts: { test: 'node -e 1' } }));
  const run = await flame(repo, ['init'], tried);
  assert.match(run.stdout.replace(/\s+/g, ' '), 'npm test (not run: package.json is not committed');
  assert.equal(checksIn(repo), ['npm test']);
});

test.run();
