import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeTempDir } from '../support/repo.ts';
import { hasBubblewrap, testIf } from '../support/skip.ts';
import { openStage } from './hostile-stage.ts';

const inCell = testIf(test, hasBubblewrap(), 'bubblewrap cannot make a cell here');
const servers: Server[] = [];
test.after(() => {
  for (const server of servers) server.close();
});

inCell('SBX-1 no socket of the machine can be reached, wherever it is and whatever kind', async () => {
  const { attack, repo } = await openStage();
  const name = `flame-reach-${process.pid}`;
  const heard: string[] = [];
  const places = [
    join(makeTempDir(), 'a.sock'),
    join('/var/tmp', `${name}.sock`),
    join(repo.path, 'b.sock'),
    `\0${name}`,
    ...(process.getuid?.() === 0 ? [`/run/${name}.sock`] : []),
  ];
  for (const path of places) await listen({ path }, () => heard.push(JSON.stringify(path)));
  const port = await listen({ port: 0, host: '127.0.0.1' }, () => heard.push('tcp'));
  const six = await listen({ port: 0, host: '::1' }, () => heard.push('tcp6')).catch(() => port);
  const connect = `
    const net = require('node:net');
    const places = ${JSON.stringify([...places.map((path) => ({ path })), { port, host: '127.0.0.1' }, { port: six, host: '::1' }])};
    for (const place of places) net.connect(place).on('connect', () => console.log('CONNECTED', place)).on('error', () => console.log('refused'));
    const udp = require('node:dgram').createSocket('udp4');
    udp.send('x', 53, '192.0.2.1', (error) => { console.log(error ? 'refused' : 'SENT'); udp.close(); });
  `;
  const { said } = await attack(`node -e ${JSON.stringify(connect).replaceAll('$', '\\$').replaceAll('\\n', ' ')}`);
  assert.equal(heard, []);
  assert.not.match(said, /CONNECTED|SENT/);
  assert.is(said.match(/refused/g)?.length, places.length + 3, said);
});

// Of these a network namespace parts none; without the filter a machine may not know some of them.
inCell(
  'SBX-1 sockets are of families that stay in the cell, a line to the host of a virtual machine is none',
  async () => {
    const { attack } = await openStage();
    const { said } = await attack(
      `perl -e 'for (1, 2, 10, 16, 17, 31, 38, 40, 42) { print "$_ ", socket(my $s, $_, 1, 0) ? "made" : $!{EAFNOSUPPORT} ? "refused" : "other", "\n" }'`,
    );
    const answers = said.match(/^\d+ (?:made|refused|other)$/gm) ?? [];
    assert.equal(
      answers.filter((line) => !line.endsWith('refused')),
      ['1 made', '2 made', '10 made', '16 other'],
      said,
    );
  },
);

inCell('SBX-2 variables that name toolchains show toolchains, and no other folder of the machine', async () => {
  const [jdk, other] = [makeTempDir('flame-jdk'), makeTempDir('flame-other')];
  mkdirSync(join(jdk, 'bin'));
  for (const file of ['bin/java', 'release']) writeFileSync(join(jdk, file), 'of the toolchain\n');
  writeFileSync(join(other, 'notes.txt'), 'TOP-SECRET\n');
  const names = ['GOROOT', 'GOMODCACHE', 'NVM_DIR', 'VOLTA_HOME', 'PYENV_ROOT', 'ASDF_DIR', 'MISE_DATA_DIR'];
  for (const elsewhere of [other, '/./', '/proc', '/..']) {
    const env = {
      HOME: makeTempDir('flame-home'),
      ...Object.fromEntries([...names, 'LANG', 'LC_ALL', 'TZ'].map((name) => [name, elsewhere])),
    };
    const { attack } = await openStage({ env: { ...env, JAVA_HOME: jdk } });
    const { said } = await attack(`cat ${jdk}/release ${other}/notes.txt; ls -d /proc/[0-9]* | wc -l`);
    assert.match(said, 'of the toolchain');
    assert.not.match(said, 'TOP-SECRET');
    assert.ok(Number(/^\d+$/m.exec(said)?.[0]) < 20, `${elsewhere}: ${said}`);
    const { attack: again } = await openStage({ env: { ...env, JAVA_HOME: elsewhere } });
    assert.not.match((await again(`cat ${other}/notes.txt`)).said, 'TOP-SECRET');
  }
});

inCell("SBX-2 the keys of the person's session are not listed", async () => {
  const { attack } = await openStage();
  const { said } = await attack('cat /proc/keys /proc/key-users; echo looked');
  assert.not.match(said, /keyring|[0-9a-f]{8} /);
  assert.match(said, 'looked');
});

inCell("SBX-2 the lead's home, keys and other agents cannot be read, by no way round", async () => {
  const home = makeTempDir('flame-home');
  for (const path of ['.ssh/id_ed25519', '.claude/.credentials.json', '.netrc', '.aws/credentials', 'notes.txt']) {
    mkdirSync(join(home, path, '..'), { recursive: true });
    writeFileSync(join(home, path), 'TOP-SECRET\n');
  }
  const { attack, neighbour } = await openStage({
    env: {
      HOME: home,
      ANTHROPIC_API_KEY: 'TOP-SECRET',
      GH_TOKEN: 'TOP-SECRET',
      SSH_AUTH_SOCK: '/TOP-SECRET',
    },
  });
  writeFileSync(join(neighbour.path, 'theirs.txt'), 'TOP-SECRET\n');
  const { said } = await attack(
    [
      `cat ${home}/.ssh/* ${home}/.netrc ${home}/.claude/.* ${home}/.aws/* ${home}/notes.txt ~/.ssh/*`,
      `ln -s ${home} h; cat h/notes.txt; ln ${home}/notes.txt n; cat n`,
      `cat /proc/self/root/${home}/notes.txt /proc/1/root/${home}/notes.txt /proc/*/environ`,
      `cat ${neighbour.path}/theirs.txt ../worker-99999999/theirs.txt; ls -R .. | grep theirs`,
      'env; cat /proc/*/cmdline | tr "\\0" "\\n"; cat /root/.ssh/* /root/.netrc',
      'grep -rs --exclude-dir=.pyenv --exclude-dir=.rustup --exclude-dir=.nvm TOP[-]SECRET /home /root /run /tmp /var/tmp $(git rev-parse --git-common-dir)',
      'mount; git stash show -p; echo looked everywhere',
    ].join('\n'),
  );
  assert.match(said, /looked everywhere/);
  // The search itself is written so that its own words, in a list of processes, aren't what it looks for.
  assert.equal(
    said.split('\n').filter((line) => line.includes('TOP-SECRET')),
    [],
  );
});

inCell('SBX-2 processes outside can be neither seen, nor signalled, nor traced', async () => {
  const { attack } = await openStage();
  const { said } = await attack(
    [
      `ls -d /proc/${process.pid} 2>/dev/null; kill -0 ${process.pid} 2>/dev/null && echo SIGNALLED`,
      'ls -d /proc/[0-9]* | wc -l',
      'cat /proc/1/mem /proc/kcore /dev/mem /dev/kmsg 2>/dev/null | head -c 1; echo x > /proc/sysrq-trigger',
      'echo x > /sys/fs/cgroup/memory/cgroup.procs; echo x > /sys/power/state',
      'for d in /sys/fs/cgroup /sys/fs/cgroup/*; do echo $$ > $d/cgroup.procs && echo "ENTERED $d"; done 2>/dev/null',
      'ulimit -f unlimited; ulimit -n 100000; ulimit -Hf; nsenter -t 1 -m true && echo ENTERED',
      'dd if=/dev/zero of=/dev/sda count=1; hostname evil && echo RENAMED; date -s 2000-01-01 && echo DATED; true',
    ].join('\n'),
  );
  assert.not.match(said, new RegExp(`/proc/${process.pid}$|SIGNALLED|ENTERED|RENAMED|DATED`, 'm'));
});

inCell('SBX-2 no setting of the machine can be written, not by root either', async () => {
  const { attack } = await openStage();
  // Opened and not written: a setting that could be would hold for this machine.
  const { said } = await attack(
    [
      'for file in $(find /proc /sys -type f -not -path "/proc/[0-9]*" 2>/dev/null); do',
      '  case $file in /proc/self/*|/proc/thread-self/*) continue ;; esac',
      '  { : >> $file; } 2>/dev/null && echo "WRITABLE $file"',
      'done; cat /proc/sys/kernel/pid_max; echo tried all',
    ].join('\n'),
  );
  assert.not.match(said, /WRITABLE/);
  assert.match(said, /^\d+\ntried all/m);
});

inCell("SBX-2 nothing types into the person's terminal or reads the keys of their session", async () => {
  const { attack } = await openStage();
  const keyctl = process.arch === 'arm64' ? 219 : 250;
  // Through the filter they'd be told that this is no terminal, and of the session's keyring.
  const { said } = await attack(
    [
      'perl -e \'ioctl(STDIN, 0x5412, my $x = "x"); print 0 + $!, " "; ioctl(STDIN, 0x541c, my $y = "x"); print 0 + $!, " "\'',
      `perl -e '$! = 0; syscall(${keyctl}, 0, -3, 0); print 0 + $!, " "; ioctl(STDIN, 0x5413, my $z = "x" x 8); print 0 + $!, "\\n"'`,
    ].join('\n'),
  );
  assert.is(said.trim(), '1 1 38 25');
});

function listen(place: { path: string } | { port: number; host: string }, hear: () => void): Promise<number> {
  const server = createServer((socket) => {
    hear();
    socket.destroy();
  });
  servers.push(server);
  return new Promise((resolve, reject) => {
    server.on('error', reject);
    server.listen(place, () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : 0);
    });
  });
}

test.run();
