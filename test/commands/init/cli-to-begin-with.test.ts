import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseConfig } from '../../../lib/config/load-config.ts';
import { listConfiguredAgents } from '../../../lib/domain/config/role-adapter-and-model.ts';
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
  return [...new Set(listConfiguredAgents(config).map(({ adapter, model }) => `${adapter} ${model}`))];
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
    assert.is(/with (\w+) in every role/.exec(run.stdout)?.[1], /^claude/.test(expected[0]) ? undefined : programs[0]);
  });

const claudes = ['claude'] as const;

test('PLN-1 init tells what credential is missing, and nothing where one is there', async () => {
  const without = await flame(makeRepo(), ['init'], machineWith(claudes, {}));
  assert.is(without.code, 0);
  assert.match(without.stderr, 'There is no credential for the model API');
  assert.match(without.stderr, 'read -rs CLAUDE_CODE_OAUTH_TOKEN && export CLAUDE_CODE_OAUTH_TOKEN');
  const odd = await flame(makeRepo(), ['init'], machineWith(claudes, { ANTHROPIC_API_KEY: 'sk-\u0001' }));
  assert.is(odd.code, 0);
  assert.match(odd.stderr, 'ANTHROPIC_API_KEY holds a control character (U+0001, position 4 of 4)');
  const set = await flame(makeRepo(), ['init'], machineWith(claudes, { ANTHROPIC_API_KEY: 'k\r' }));
  assert.not.match(set.stderr, 'credential');
});

test("SBX-5 a key that can't be sent stops run and doctor by the name of its variable, before a task is claimed", async () => {
  const repo = makeRepo();
  const machine = machineWith(claudes, { ANTHROPIC_API_KEY: 'sk-lena\u0001' });
  const [bin = ''] = machine.env.PATH.split(':');
  writeFileSync(join(bin, 'claude'), '#!/bin/sh\necho "2.1.330 (Claude Code)"\n');
  const run = await flame(repo, ['run', 'Do it'], machine);
  assert.is(run.code, 128, run.stderr);
  assert.match(run.stderr, 'ANTHROPIC_API_KEY holds a control character (U+0001');
  assert.not.match(run.stderr, /ERR_INVALID_CHAR|lena/);
  assert.is(repo.git('for-each-ref', 'refs/blueflame/'), '');
  const doctor = await flame(repo, ['doctor'], machine);
  assert.match(doctor.stdout + doctor.stderr, 'ANTHROPIC_API_KEY holds a control character');
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
