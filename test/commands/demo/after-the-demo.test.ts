import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { listCommandsAfterDemo } from '../../../lib/commands/demo/demo.ts';
import { programPath } from '../../../lib/util/child-programs.ts';
import { shellQuote } from '../../../lib/util/shell-quote.ts';
import { packageRoot } from '../../../lib/util/user-folders.ts';
import { programFolder } from '../../support/program.ts';
import { makeTempDir } from '../../support/repo.ts';

const root = packageRoot();
const own = ['cd your-repository && git flame init', "git flame run 'What you want done'"];

/** PATH with node and git alone, so that no git-flame of this machine is found. */
function nodeAndGit(): string {
  const bin = makeTempDir();
  symlinkSync(process.execPath, join(bin, 'node'));
  symlinkSync(programPath('git', process.env.PATH), join(bin, 'git'));
  return bin;
}

test('what to type after the demo starts the program from where the person is, linked or not', () => {
  const PATH = nodeAndGit();
  const linked = listCommandsAfterDemo({ cwd: root, env: { PATH: `${PATH}:${programFolder}` } }, null);
  assert.equal(linked, ['git flame demo --keep', ...own]);
  const said = listCommandsAfterDemo({ cwd: root, env: { PATH } }, null);
  assert.equal(said, ['node bin/git-flame demo --keep', 'npm link', ...own]);
  const shown = execFileSync('/bin/sh', ['-c', `${said[0]} --dry-run`], { cwd: root, env: { PATH } });
  assert.match(shown.toString(), 'It would make a repository');
});

test('npm start is typed anywhere in the checkout, and a kept demo is elsewhere', () => {
  const env = { PATH: nodeAndGit(), npm_lifecycle_event: 'start', INIT_CWD: join(root, 'lib') };
  const program = shellQuote(join(root, 'bin', 'git-flame'));
  const link = `(cd ${shellQuote(root)} && npm link)`;
  assert.equal(listCommandsAfterDemo({ cwd: root, env }, null), [`node ${program} demo --keep`, link, ...own]);
  const kept = listCommandsAfterDemo({ cwd: root, env }, '/tmp/demo/greeter');
  assert.equal(kept, [`cd /tmp/demo/greeter && node ${program} status`, link, ...own]);
});

test('after npx, which brings it for once, it is started so again', () => {
  const once = makeTempDir();
  const bin = join(once, 'node_modules', '.bin');
  mkdirSync(bin, { recursive: true });
  symlinkSync(join(programFolder, 'git-flame'), join(bin, 'git-flame'));
  const env = { PATH: `${bin}:${nodeAndGit()}`, npm_command: 'exec', npm_lifecycle_event: 'npx' };
  assert.equal(listCommandsAfterDemo({ cwd: once, env }, null), [
    'npx git-flame demo --keep',
    'npm install --global git-flame',
    ...own,
  ]);
});

test('npm start installs what is missing, and warnings about packages of the tests stay out of it', () => {
  const folder = makeTempDir();
  mkdirSync(join(folder, '.ci'));
  copyFileSync(join(root, '.ci', 'build.mjs'), join(folder, '.ci', 'build.mjs'));
  const PATH = nodeAndGit();
  // As npm does with a package that asks for a newer node, at the level that it is told.
  writeFileSync(
    join(PATH, 'npm'),
    '#!/bin/sh\ncase "$*" in *--loglevel=error*) ;; *) echo "npm warn EBADENGINE" >&2 ;; esac\nexit 1\n',
    { mode: 0o755 },
  );
  const { stderr } = spawnSync(process.execPath, [join(folder, '.ci', 'build.mjs'), '--install'], {
    env: { PATH },
    encoding: 'utf8',
  });
  assert.match(stderr, /^Installing what the build needs/);
  assert.not.match(stderr, 'EBADENGINE');
});

test.run();
