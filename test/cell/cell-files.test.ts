import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeTempDir } from '../support/repo.ts';
import { hasBubblewrap, testIf } from '../support/skip.ts';
import { openCellFixture, snapshotTree } from './fixture.ts';

const inCell = testIf(test, hasBubblewrap(), 'bubblewrap cannot make a cell here');

inCell('SBX-2: a commit in the worktree works and its objects stay in the quarantine', async () => {
  const { repo, port, cell, sh } = await openCellFixture();
  const before = repo.git('rev-parse', '--all');
  const run = await sh(
    'echo new > new.txt && git add -A && git commit -q -m "add new" && git rev-parse HEAD && git status --short',
  );
  assert.is(run.exitCode, 0, run.output);
  const head = run.output.trim();
  assert.is(await port.cellHead(cell), head);
  assert.is(repo.git('rev-parse', '--all'), before);
  assert.throws(() => repo.git('cat-file', '-e', head));
  await port.acceptCell(cell, await port.cellHead(cell));
  repo.git('cat-file', '-e', head);
});

inCell('SBX-2: nothing else of the repository can be changed', async () => {
  const { repo, cell, sh, port } = await openCellFixture();
  const other = await port.addCellWorktree(join(`${repo.path}.trees`, 'worker-99999999'), cell.start);
  const isKept = (path: string): boolean =>
    // What each attempt came to is noted by the tool.
    !path.startsWith(cell.path) && !path.includes(basename(cell.path)) && !path.endsWith('checks.ended.jsonl');
  const before = snapshotTree(repo.path, isKept);
  const attempts = [
    'git config user.name evil',
    // Refs of its own are made, and belong to it alone.
    'git branch evil; exit 1',
    'git update-ref refs/heads/main HEAD~0; exit 1',
    'git tag evil; exit 1',
    'echo "#!/bin/sh" > $(git rev-parse --git-common-dir)/hooks/post-commit',
    'rm -rf $(git rev-parse --git-common-dir)/objects/*',
    'echo x >> $(git rev-parse --git-common-dir)/info/exclude; exit 1',
    // It leads to the worktree's.
    `echo x > ${repo.path}/README.md; exit 1`,
    `echo x > ${repo.path}/new.md`,
    `echo x > ${other.path}/README.md`,
    `echo x > ${other.quarantine.objectDir}/x`,
    'rm .git',
    'mv .git moved',
    'echo "gitdir: /tmp" > .git',
    `echo x > ${cell.quarantine.worktreeGitDir}/config.worktree`,
    `echo x > ${cell.quarantine.worktreeGitDir}/commondir`,
    'git gc --quiet --prune=now && exit 1',
    'git worktree prune --expire now && git worktree remove --force ../worker-99999999',
    'echo x > /etc/flame-test',
    'touch /usr/flame-test',
  ];
  for (const attempt of attempts) {
    const run = await sh(attempt);
    assert.is.not(run.exitCode, 0, attempt);
  }
  assert.is(snapshotTree(repo.path, isKept), before);
});

inCell('SBX-2: beside programs and in the git folder only what they need is shown', async () => {
  const home = makeTempDir();
  const put = (path: string, mode = 0o644): void => {
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, '#!/bin/sh\necho private-text\n', { mode });
  };
  const bins = ['go/bin', '.krew/bin', '.npm-global/bin', 'tool/bin'].map((name) => join(home, name));
  for (const bin of bins) put(join(bin, `run-${bins.indexOf(bin)}`), 0o755);
  const needed = ['go/pkg/mod/x', '.krew/store/x', '.npm-global/lib/x', 'tool/lib/x'].map((name) => join(home, name));
  const unneeded = [
    'go/src/own.go',
    'go/bin/.env',
    'go/bin/host.pem',
    '.krew/receipts/x',
    '.npm-global/.npmrc',
    'tool/.npmrc',
  ]
    .concat('tool/.git/config', 'tool/bin/.env', 'tool/credentials.json')
    .map((name) => join(home, name));
  const fixture = await openCellFixture({
    env: { HOME: home, PATH: [...bins, process.env.PATH ?? ''].join(':') },
  });
  const git = join(fixture.repo.path, '.git');
  const foreign = ['credentials', 'modules/sub/config', 'hooks/pre-push', 'deploy.pem', 'info/token', 'lfs/cache/x'];
  for (const path of [...needed, ...unneeded, ...foreign.map((name) => join(git, name))]) put(path);
  const read = (paths: readonly string[]): string => `cat ${paths.map((path) => `'${path}'`).join(' ')} 2>/dev/null`;
  const shown = await fixture.sh(`${read(needed)} | grep -c private-text; run-0 && run-1 && run-2 && run-3`);
  assert.is(shown.output, `4\n${'private-text\n'.repeat(4)}`);
  const hidden = await fixture.sh(read([...unneeded, ...foreign.map((name) => join(git, name))]));
  assert.is(hidden.output, '');
  const work = await fixture.sh(
    'echo x > n.txt && git add n.txt && git commit -qm "add n" && git log --oneline -1 && git status',
  );
  assert.is(work.exitCode, 0, work.output);
});

inCell('SBX-2: mounts cannot be changed from inside, not even in a namespace of its own', async () => {
  const { sh } = await openCellFixture();
  for (const attempt of [
    'mount -o remount,rw /',
    'mount -t tmpfs none /mnt',
    'umount /tmp',
    'unshare -Urm mount -o remount,rw,bind /',
    'unshare -Urm umount /run',
    'mknod /tmp/disk b 8 0',
    'chroot / true',
  ]) {
    const run = await sh(attempt);
    assert.is.not(run.exitCode, 0, `${attempt}: ${run.output}`);
  }
});

inCell('SBX-1: there is no network but loopback', async () => {
  const { sh } = await openCellFixture();
  const run = await sh('cat /proc/net/dev | grep -c :; exec 3<>/dev/tcp/127.0.0.1/1; echo "tcp $?"');
  assert.match(run.output, /^1\n/);
  const abroad = await sh('exec 3<>/dev/tcp/192.0.2.1/80');
  assert.match(abroad.output, /unreachable/);
});

inCell("the person's home, its sockets and other agents' folders are empty, the toolchain is not", async () => {
  const home = makeTempDir('flame-home');
  mkdirSync(join(home, '.ssh'));
  writeFileSync(join(home, '.ssh/id'), 'secret');
  mkdirSync(join(home, '.tools/v1/bin'), { recursive: true });
  mkdirSync(join(home, '.tools/v1/lib'));
  writeFileSync(join(home, '.tools/v1/lib/part'), 'part\n');
  writeFileSync(join(home, '.tools/v1/bin/tool'), `#!/bin/sh\ncat ${home}/.tools/v1/lib/part\n`, {
    mode: 0o755,
  });
  const path = `${home}/.tools/v1/bin:${process.env.PATH}`;
  const { sh, repo } = await openCellFixture({ env: { HOME: home, PATH: path } });
  const run = await sh(
    `tool; ls -A ${home}; cat ${home}/.ssh/id; ls -A /run ${repo.path}/.git/blueflame/run; echo x > ${home}/x`,
  );
  assert.match(run.output, /^part\n\.tools\n/);
  assert.match(run.output, /id: No such file/);
  assert.not.match(run.output, /secret/);
  assert.is.not(run.exitCode, 0);
});

inCell('HOME, TMPDIR and /tmp are its own and gone afterwards', async () => {
  const { sh, repo } = await openCellFixture();
  const run = await sh('echo a > $HOME/a && echo b > $TMPDIR/b && cat /tmp/b && mktemp && echo $HOME');
  assert.is(run.exitCode, 0, run.output);
  assert.match(run.output, new RegExp(`${repo.path}/\\.git/blueflame/run/command-[0-9a-f]{8}/home`));
  assert.is(
    snapshotTree(join(repo.path, '.git/blueflame/run'), () => true),
    '',
  );
});

inCell('the environment holds nothing of the person but the tools', async () => {
  const { sh } = await openCellFixture({
    env: { ANTHROPIC_API_KEY: 'sk-real', SSH_AUTH_SOCK: '/run/agent', AWS_SECRET_ACCESS_KEY: 'x' },
  });
  const run = await sh('env; cat /proc/*/environ | tr "\\0" "\\n"');
  assert.not.match(run.output, /sk-real|SSH_AUTH_SOCK|AWS_/);
});

inCell('a read-only cell cannot write its worktree and can read its history', async () => {
  const { runner, request } = await openCellFixture();
  const agent = await runner.start(
    request({
      isReadOnly: true,
      prompt:
        'git log --oneline; git status --short; cat README.md; echo x > new.txt; rm README.md; git commit --allow-empty -m x',
    }),
    () => undefined,
  );
  const { text, answer } = await agent.outcome;
  assert.match(text, /initial commit\n# Sample/);
  assert.match((answer as { stderr: string }).stderr, /new\.txt: Read-only file system/);
  assert.match((answer as { stderr: string }).stderr, /README\.md': (?:Read-only|Device)/);
});

inCell(
  "what is hidden is not shown in the person's own work tree; what is linked by its name, to setup and checks alone",
  async () => {
    const { sh, repo, runner, request } = await openCellFixture({
      config: { project: { link: ['.env.test'] } },
    });
    repo.write('.gitignore', '.env*\nvendor/\nkeys.secret/\n');
    repo.commit('ignore');
    const secrets = ['.env', '.env.test', 'pkg/.env.local', 'keys.secret/a', 'vendor/lib.txt', 'plain.txt'];
    for (const path of secrets) repo.write(path, `in ${path}\n`);
    repo.write('pkg/index.txt', 'tracked\n');
    repo.git('add', 'pkg/index.txt');
    symlinkSync('pkg/.env.local', join(repo.path, '.env.link'));
    const script = `cd '${repo.path}'; cat ${secrets.join(' ')} .env.link; ls keys.secret; grep -rs 'in ' . --exclude-dir=.git`;
    const { output } = await sh(script);
    const { text } = await (await runner.start(request({ prompt: script }), () => undefined)).outcome;
    for (const said of [output, text]) {
      assert.match(said, 'in vendor/lib.txt');
      assert.not.match(said, /in \.env\n|in pkg|in keys/);
    }
    assert.match(output, 'in .env.test');
    assert.not.match(text, 'in .env.test');
  },
);

inCell('SBX-2 a home, its keys and a device are shown by no configuration', async () => {
  for (const path of ['~/.ssh', '~/.config', '/root', '/dev/null'])
    assert.match(
      await openCellFixture({ config: { sandbox: { read_paths: [path] } } })
        .then(({ sh }) => sh('true'))
        .then(({ output }) => output, String),
      /can't be shown to agents/,
      path,
    );
});

inCell('SBX-2 a cell shows the system, programs and the repository, and nothing else of the machine', async () => {
  const neighbour = makeTempDir('flame-neighbour');
  writeFileSync(join(neighbour, 'theirs.txt'), 'theirs\n');
  const wished = makeTempDir('flame-wished');
  writeFileSync(join(wished, 'read.txt'), 'may be read\n');
  const { sh, repo } = await openCellFixture({ config: { sandbox: { read_paths: [wished] } } });
  repo.write('certs/deep/server.pem', 'private\n');
  repo.write('.gitignore', 'local/\n');
  repo.write('local/pkg/.env', 'private\n');
  repo.write('node_modules/dep/index.js', "module.exports = 'found upwards';\n");
  const { output } = await sh(
    [
      'ls /; ls /home /mnt /media /srv /opt /var/lib /var/log 2>&1',
      `cat ${neighbour}/theirs.txt ${wished}/read.txt /etc/shadow /etc/gshadow; ls -R /etc/ssl/private 2>&1`,
      `cat ${repo.path}/certs/deep/server.pem ${repo.path}/local/pkg/.env`,
      `node -p "require('dep')"; touch /new 2>&1; echo x | tee /var/new`,
    ].join('\n'),
  );
  assert.match(output, /^may be read$/m);
  assert.match(output, /^found upwards$/m);
  assert.not.match(output, /^(?:theirs|private|root:.*|boot|lost\+found|dpkg)$/m);
  for (const name of ['home', 'mnt', 'media', 'srv', 'opt'])
    assert.not.match(output, new RegExp(`^${name}$`, 'm'), name);
  assert.match(output, /'\/new': Read-only file system/);
});

inCell('SBX-2 what agents may not touch is not shown among dependencies either, however deep', async () => {
  const { sh, repo } = await openCellFixture({
    config: { project: { link: ['node_modules', 'vendor/.env.test'] } },
  });
  repo.write('.gitignore', 'node_modules\nvendor\n');
  repo.commit('ignore');
  const elsewhere = join(repo.path, 'node_modules');
  const hidden = [
    ...['node_modules/.env', 'node_modules/@a/b/test/deep/my.key', 'node_modules/c/.ENV.local'],
    ...['node_modules/d/keys.secret/one', 'vendor/acme/.env'],
  ];
  const shown = ['node_modules/dep/index.js', 'node_modules/dep/key.js', 'vendor/acme/lib.txt', 'vendor/.env.test'];
  for (const path of [...hidden, ...shown]) repo.write(path, `in ${path}\n`);
  symlinkSync(elsewhere, join(repo.path, 'bower_components'));
  const paths = [...hidden, ...shown, 'bower_components/.env'].map((path) => `'${repo.path}/${path}'`);
  const { output } = await sh(`cat ${paths.join(' ')}; echo x >> '${repo.path}/node_modules/.env'`);
  assert.equal(
    output.match(/^in .*$/gm),
    shown.map((path) => `in ${path}`),
  );
});

inCell('programs of version managers run as these lay them out, below a home that is hidden', async () => {
  const home = makeTempDir('flame-home');
  const file = (path: string, text: string): void => {
    mkdirSync(join(home, path, '..'), { recursive: true });
    writeFileSync(join(home, path), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  };
  const link = (path: string, to: string): void => {
    mkdirSync(join(home, path, '..'), { recursive: true });
    symlinkSync(to, join(home, path));
  };
  // nvm: one prefix a version; npm is a link into its modules.
  file('.nvm/versions/node/v22.1.0/lib/node_modules/tool/bin/cli.js', 'echo nvm runs');
  link('.nvm/versions/node/v22.1.0/bin/by-nvm', '../lib/node_modules/tool/bin/cli.js');
  // volta: every program is one shim, which looks for the version below VOLTA_HOME by its own name.
  file('.volta/bin/volta-shim', 'exec "$VOLTA_HOME/tools/image/packages/$(basename "$0")/bin/$(basename "$0")"');
  link('.volta/bin/by-volta', 'volta-shim');
  file('.volta/tools/image/packages/by-volta/bin/by-volta', 'echo volta runs');
  // asdf: a shim that asks asdf, which finds the installed version beside it.
  file('.asdf/shims/by-asdf', `exec "${home}/.asdf/bin/asdf" exec by-asdf "$@"`);
  file('.asdf/bin/asdf', `shift; exec "${home}/.asdf/installs/tool/1.2.3/bin/$1"`);
  file('.asdf/installs/tool/1.2.3/bin/by-asdf', 'echo asdf runs');
  // The installer of claude: a link to a file that is named after its version.
  file('.local/share/claude/versions/2.1.0', 'echo native runs');
  link('.local/bin/by-installer', `${home}/.local/share/claude/versions/2.1.0`);
  file('.ssh/id', 'private');
  const folders = ['.nvm/versions/node/v22.1.0/bin', '.volta/bin', '.asdf/shims', '.local/bin'];
  const PATH = [...folders.map((folder) => join(home, folder)), process.env.PATH].join(':');
  const { sh } = await openCellFixture({ env: { HOME: home, PATH, VOLTA_HOME: join(home, '.volta') } });
  const { output } = await sh(`by-nvm; by-volta; by-asdf; by-installer; cat ${home}/.ssh/id`);
  assert.equal(output.match(/^\w+ runs$/gm), ['nvm runs', 'volta runs', 'asdf runs', 'native runs'], output);
  assert.not.match(output, /private$/m);
});

inCell('a program that PATH reaches through links is shown where it is', async () => {
  const home = makeTempDir('flame-home');
  const real = join(home, '.local/share/tool/versions/2.1.0');
  mkdirSync(join(real, '..'), { recursive: true });
  writeFileSync(real, '#!/bin/sh\necho the tool runs\n', { mode: 0o755 });
  mkdirSync(join(home, '.local/bin'), { recursive: true });
  symlinkSync(real, join(home, '.local/bin/current'));
  symlinkSync('current', join(home, '.local/bin/tool'));
  writeFileSync(join(home, '.local/share/tool/token'), 'private\n');
  const { sh } = await openCellFixture({
    env: { HOME: home, PATH: `${home}/.local/bin:${process.env.PATH}` },
  });
  const { output } = await sh(`tool; cat ${home}/.local/share/tool/token`);
  assert.match(output, /^the tool runs$/m);
  assert.not.match(output, /^private$/m);
});

test.run();
