import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeTempDir } from '../support/repo.ts';
import { testWhere } from '../support/skip.ts';

const script = join(import.meta.dirname, '../../../.ci/needs.mjs');

/** A machine on which nothing is installed but these programs: each notes how it is called. */
function machine(programs: Readonly<Record<string, string>>): {
  bring(purpose: 'start' | 'test'): { readonly said: string; readonly calls: readonly string[] };
} {
  const folder = makeTempDir('machine');
  const [bin, log] = [join(folder, 'bin'), join(folder, 'log')];
  mkdirSync(bin);
  for (const [name, body] of Object.entries(programs))
    writeFileSync(join(bin, name), `#!/bin/sh\necho ${name} "$@" >> '${log}'\n${body}\n`, { mode: 0o755 });
  return {
    bring: (purpose) => {
      const { status, stderr } = spawnSync(process.execPath, [script, purpose], {
        env: { PATH: bin },
        encoding: 'utf8',
      });
      assert.is(status, 0, stderr);
      const calls = existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : [];
      return { said: stderr, calls };
    },
  };
}

// `sudo -n`, for whom it asks no password.
const sudo = 'shift; [ "$1" = true ] || exec "$@"';

const brings = (name: string): string =>
  `case "$*" in *install*|*add*) cd "\${0%/*}"; echo > ${name}; /bin/chmod +x ${name};; esac`;

test('ANY-1 what is missing is installed with the packages of the system, and said', () => {
  const here = machine({ 'apt-get': brings('bwrap'), sudo });
  const { said, calls } = here.bring('start');
  assert.is(said, 'bubblewrap (the sandbox of agents) is missing: it is installed with apt-get.\n');
  assert.equal(
    calls.filter((call) => call.startsWith('apt-get')),
    ['apt-get update -qq', 'apt-get install -y -qq bubblewrap'],
  );
  assert.is(here.bring('start').said, '', 'once it is there nothing is said or done');
});

test('ANY-1 what can not be installed is named, and nothing fails', () => {
  const fails = machine({ apk: 'echo "no such package" >&2; exit 1', sudo });
  assert.match(fails.bring('start').said, /bubblewrap could not be installed \(no such package\)/);
  const none = machine({}).bring('test');
  for (const name of ['bubblewrap', 'tmux', 'gcc', 'jq'])
    assert.match(none.said, new RegExp(`^${name} \\(.*\\) is missing; it goes on without\\.$`, 'm'));
});

test('ANY-1 one package that the system lacks keeps no other away', () => {
  const body = `case "$*" in *jq*) exit 100;; esac\n${brings('bwrap')}`;
  const { said, calls } = machine({ dnf: body, sudo }).bring('test');
  assert.match(said, /^jq could not be installed/m);
  assert.not.match(said, /bubblewrap could not/);
  assert.ok(calls.includes('dnf install -y -q gcc glibc-devel'));
});

testWhere(
  test,
  process.getuid?.() !== 0,
  'a user who may not install',
)('ANY-1 who may not install is told the command', async () => {
  const { said, calls } = machine({ 'apt-get': '', sudo: 'exit 1' }).bring('start');
  assert.match(said, /This brings it: sudo apt-get install -y -qq bubblewrap/);
  assert.equal(calls, ['sudo -n true']);
});

test.run();
