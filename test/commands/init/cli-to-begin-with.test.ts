import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseConfig } from '../../../lib/config/parse-config.ts';
import { configuredChoices } from '../../../lib/domain/config/role-settings.ts';
import { flame } from '../../support/flame.ts';
import { makeRepo, makeTempDir, type TestRepo } from '../../support/repo.ts';

/** An environment whose shell finds these programs, none of which says a version, beside those of the system. */
function machineWith(programs: readonly string[], keys: Readonly<Record<string, string>>) {
  const bin = makeTempDir();
  for (const name of programs) {
    writeFileSync(join(bin, name), '#!/bin/sh\n');
    chmodSync(join(bin, name), 0o755);
  }
  return { env: { PATH: `${bin}:${join(process.execPath, '..')}:/usr/bin:/bin`, ...keys } };
}

function choicesIn(repo: TestRepo): readonly string[] {
  const { config } = parseConfig(readFileSync(join(repo.path, '.blueflame.yml'), 'utf8'), '.blueflame.yml');
  return [...new Set(configuredChoices(config).map(({ adapter, model }) => `${adapter} ${model}`))];
}

for (const [title, programs, keys, expected] of [
  ['one that is there alone', ['codex'], { OPENAI_API_KEY: 'k' }, ['codex gpt-5.5', 'codex gpt-5.4-mini']],
  [
    'a model of the API it has a key for',
    ['opencode', 'gemini'],
    { MOONSHOT_API_KEY: 'k' },
    ['opencode moonshotai/kimi-k2.6'],
  ],
  ['none that has no credential', ['codex'], {}, ['claude sonnet', 'claude haiku']],
  [
    'none where claude is installed, with a credential or without',
    ['claude', 'codex'],
    { OPENAI_API_KEY: 'k' },
    ['claude sonnet', 'claude haiku'],
  ],
] as const)
  test(`ADP-1 init begins with the CLI that can work: ${title}`, async () => {
    const repo = makeRepo();
    const run = await flame(repo, ['init'], machineWith(programs, keys));
    assert.is(run.code, 0, run.stderr);
    assert.equal(choicesIn(repo), expected);
    assert.is(
      /with (\w+) in every role/.exec(run.stdout)?.[1],
      /^claude/.test(expected[0]) ? undefined : programs[0],
    );
  });

test('ADP-1 where claude is missing, or its credential, doctor and run name what is there', async () => {
  const repo = makeRepo();
  const hint = 'or have codex play every role, in .blueflame.yml: roles: { default: { adapter: codex } }';
  const run = await flame(repo, ['run', 'Do it'], machineWith(['codex'], { OPENAI_API_KEY: 'k' }));
  assert.is(run.code, 128);
  assert.match(run.stderr, 'The program of adapter claude was not found');
  assert.match(run.stderr, hint);
  const without = await flame(repo, ['run', 'Do it'], machineWith(['codex'], {}));
  assert.not.match(without.stderr, 'play every role');
  const { stdout } = await flame(repo, ['doctor'], machineWith(['claude', 'codex'], { OPENAI_API_KEY: 'k' }));
  assert.match(stdout.replace(/\s+/g, ' '), `CLAUDE_CODE_OAUTH_TOKEN`);
  assert.match(stdout.replace(/\s+/g, ' '), hint);
});

test.run();
