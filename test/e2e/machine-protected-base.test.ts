import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { writeDecisions } from '../support/exec-project.ts';
import { flame } from '../support/flame.ts';
import { endOpened, makeMachines } from '../support/machine-rig.ts';
import { trusted } from '../support/trusted.ts';

test.after(endOpened);

const script = 'mkdir -p src; echo one > src/one.txt';
const tasks = [{ id: 'task-001', script, locks: ['src/one.txt'] }];

/** It knows no request of the branch, and opens one. */
const gh = `[ "$2" = view ] && { echo 'no pull requests found' >&2; exit 1; }
echo https://example.com/lea/sample/pull/7`;

/** A host of which a rule protects main, and how it refuses. */
const hosts = [
  ['update', '[ "$1" != refs/heads/main ] || { echo "GH006: Protected branch update failed" >&2; exit 1; }'],
  [
    'pre-receive',
    'while read -r old new ref; do [ "$ref" != refs/heads/main ] || { echo "GitLab: You are not allowed to push code to protected branches." >&2; exit 1; }; done',
  ],
] as const;

for (const [hook, rule] of hosts)
  test(`DST-1 MRG-10 a base that the host protects (${hook}) takes no landing: that is said, the approval stands, and it becomes a pull request`, async () => {
    const { remote, lead } = makeMachines(1, tasks);
    const { repo } = lead;
    writeFileSync(join(remote.path, 'hooks', hook), `#!/bin/sh\n${rule}\n`, { mode: 0o755 });
    writeDecisions(repo, { plan: ['approve'], changesets: ['approve'], session: ['stop'] });
    const [before, decided] = [remote.git('rev-parse', 'main'), ['--decisions-file', '.git/decisions.yml']];
    const first = ['run', 'Do it', '--remote', 'origin', '--from', '.git/plan.yml', ...decided];
    const refused = await flame(repo, first);
    assert.is(refused.code, 2, refused.stderr);
    assert.match(
      refused.stderr,
      /origin rejects pushes to main from here .*nothing was landed\. The approval stays valid/,
    );
    assert.equal([remote.git('rev-parse', 'main'), repo.git('rev-parse', 'main')], [before, before]);
    const [, setting = '', command = ''] =
      refused.stderr.match(/(project\.landing: branch) in \.blueflame\.yml, then git flame (run --pr)/) ?? [];
    assert.is(setting, 'project.landing: branch', refused.stderr);
    const config = readFileSync(join(repo.path, '.blueflame.yml'), 'utf8');
    repo.write('.blueflame.yml', config.replace('base_branch: main', 'base_branch: main\n  landing: branch'));
    trusted(repo);
    const bin = join(repo.path, '.git/bin');
    mkdirSync(bin);
    writeFileSync(join(bin, 'gh'), `#!/bin/sh\n${gh}\n`, {
      mode: 0o755,
    });
    const env = { PATH: `${bin}:${repo.env.PATH ?? ''}` };
    writeDecisions(repo, { changesets: ['approve'], session: ['stop'] });
    const run = await flame(repo, [...command.split(' '), ...decided], { env });
    assert.is(run.code, 0, run.stderr);
    assert.is(remote.git('rev-parse', 'main'), before);
    const [, branch = ''] = run.stderr.match(/landed on (\S+) as/) ?? [];
    assert.is(remote.git('show', `${branch}:src/one.txt`), 'one', run.stderr);
    assert.match(run.stderr, /example\.com\/lea\/sample\/pull\/7/);
  });

test.run();
