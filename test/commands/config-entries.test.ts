import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { flame } from '../support/flame.ts';
import { makeRepo } from '../support/repo.ts';

test('WAT-4: config names entries of allowed_commands that allow nothing, with the reason', async () => {
  const repo = makeRepo();
  const rules = { allowed_commands: ['npm test', 'docker compose', 'ssh'] };
  repo.write('.blueflame.yml', JSON.stringify({ schema_version: 1, permissions: { bash_rules: rules } }));
  const run = await flame(repo, ['config']);
  assert.is(run.code, 0);
  assert.match(run.stderr, /docker compose has no effect: docker contacts a daemon/);
  assert.match(run.stderr, /ssh has no effect/);
  assert.not.match(run.stderr, /npm test has no effect/);
});

test.run();
