import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { compareVersions } from '../../lib/cell/run/adapter-programs.ts';
import { listProgramFiles } from '../../lib/cell/run/resolve-command.ts';
import { bwrapArguments, type CellProfile } from '../../lib/cell/sandbox/bwrap-profile.ts';
import { parseSocketTable } from '../../lib/cell/sandbox/cell-layout.ts';
import { syscallFilter } from '../../lib/cell/sandbox/syscall-filter.ts';
import {
  findProgram,
  listPackagePaths,
  listSearchFolders,
  listToolchainPaths,
} from '../../lib/cell/sandbox/tool-paths.ts';
import { createTailBuffer } from '../../lib/cell/tail-buffer.ts';
import { describeCallTarget } from '../../lib/cell/watcher/audit-log.ts';
import { shellQuote } from '../../lib/util/shell-quote.ts';
import { makeTempDir } from '../support/repo.ts';

const profile: CellProfile = {
  system: [
    { path: '/usr', link: null },
    { path: '/bin', link: 'usr/bin' },
  ],
  covered: [{ path: '/home/lea/repo', shown: '/run/tree' }],
  shownAgain: ['/home/lea/repo/node_modules'],
  hidden: ['/home/lea', '/run', '/tmp'],
  readOnly: ['/home/lea/repo/.git', '/opt/tool'],
  hiddenInside: ['/home/lea/repo/.git/blueflame'],
  emptied: [],
  hiddenFiles: ['/srv/x.sock'],
  kernelEntries: ['/proc/sys'],
  emptyFile: () => '/e',
  writable: ['/home/lea/repo/.trees/a'],
  protected: ['/home/lea/repo/.trees/a/.git'],
  overlays: [],
  mounts: [{ source: '/s', target: '/run/blueflame' }],
  links: [],
  doors: { sockets: [], ports: [] },
  tempDir: '/home/lea/t',
  workingDirectory: '/home/lea/repo/.trees/a',
  env: { PATH: '/bin' },
  isInteractive: false,
  mayTrace: false,
};

test('mounts are ordered: hide, show again, make writable, protect', () => {
  const line = bwrapArguments(profile).join(' ');
  const order = [
    '--ro-bind /usr /usr --symlink usr/bin /bin',
    '--proc /proc --ro-bind-try /proc/sys /proc/sys',
    '--bind /home/lea/t /tmp',
    '--ro-bind /opt/tool /opt/tool',
    '--tmpfs /run --tmpfs /home/lea',
    '--ro-bind /home/lea/repo/.git /home/lea/repo/.git',
    '--ro-bind /run/tree /home/lea/repo --ro-bind /home/lea/repo/node_modules',
    '--tmpfs /home/lea/repo/.git/blueflame',
    '--ro-bind /e /srv/x.sock',
    '--bind /home/lea/repo/.trees/a /home/lea/repo/.trees/a',
    '--ro-bind /home/lea/repo/.trees/a/.git',
    '--ro-bind /s /run/blueflame',
    '--remount-ro /run --remount-ro /home/lea ',
    '--remount-ro / ',
    '--clearenv --setenv PATH /bin',
  ].map((part) => line.indexOf(part));
  assert.ok(order.every((at) => at >= 0));
  assert.equal(
    [...order].sort((a, b) => a - b),
    order,
  );
});

test('every cell is without privileges, and only an interactive one keeps the terminal', () => {
  for (const isInteractive of [true, false]) {
    const line = bwrapArguments({ ...profile, isInteractive }).join(' ');
    assert.match(line, /--unshare-user .*--unshare-pid --unshare-net .*--die-with-parent --cap-drop ALL/);
    assert.is(line.includes('--new-session'), !isInteractive);
  }
});

test('the filter of calls is whole instructions that jump forward and end in an answer', () => {
  for (const arch of ['x64', 'arm64']) {
    const program = syscallFilter({ arch, mayTrace: false }) ?? Buffer.of();
    const count = program.length / 8;
    assert.ok(Number.isInteger(count) && count > 10);
    for (let at = 0; at < count; at += 1) {
      const [code, so, not] = [program.readUInt16LE(at * 8), program[at * 8 + 2], program[at * 8 + 3]];
      if (code === 0x15 || code === 0x35) assert.ok(at + 1 + Math.max(so ?? 0, not ?? 0) < count);
    }
    assert.is(program.readUInt16LE((count - 1) * 8), 0x06);
  }
  assert.is(syscallFilter({ arch: 'other', mayTrace: false }), null);
});

test('socket paths are read from the table, abstract and nameless ones are not', () => {
  const table = [
    'Num       RefCount Protocol Flags    Type St Inode Path',
    '0000000000000000: 00000002 00000000 00010000 0001 01 23344 /run/dbus/system bus socket',
    '0000000000000000: 00000002 00000000 00010000 0001 01 23345 @/tmp/.X11-unix/X0',
    '0000000000000000: 00000003 00000000 00000000 0001 03 23346',
    '0000000000000000: 00000002 00000000 00010000 0005 01     7 /a.sock',
    '0000000000000000: 00000003 00000000 00000000 0001 03 23348 /a.sock',
  ].join('\n');
  assert.equal(parseSocketTable(table), ['/run/dbus/system bus socket', '/a.sock']);
});

test('version-manager prefixes are shown, folders with credentials are not', () => {
  const home = makeTempDir();
  for (const folder of ['.nvm/versions/v20/bin', '.local/bin', '.cargo/bin', 'bin', '.rustup', '.ssh', '.local/lib'])
    mkdirSync(join(home, folder), { recursive: true });
  const folders = ['.nvm/versions/v20/bin', '.local/bin', '.cargo/bin', 'bin'].map((name) => join(home, name));
  const show = (homes: readonly string[]): string[] =>
    listToolchainPaths([...folders, '/usr/bin'], homes).map((path) => path.replace(home, '~'));
  const shown = show([home]);
  assert.equal(shown.sort(), [
    '/usr/bin',
    '~/.cargo/bin',
    '~/.local/bin',
    '~/.local/lib',
    '~/.nvm/versions/v20',
    '~/.rustup',
    '~/bin',
  ]);
  // The home of root is hidden too: a HOME elsewhere must not cut its programs in two.
  assert.ok(show([makeTempDir(), home]).includes('~/.nvm/versions/v20'));
});

test('SBX-2: programs in a place of keys are shown without the keys beside them', () => {
  const home = makeTempDir();
  for (const folder of ['.docker/bin', '.kube/bin', 'tool/bin']) mkdirSync(join(home, folder), { recursive: true });
  const folders = ['.docker/bin', '.kube/bin', 'tool/bin'].map((name) => join(home, name));
  assert.equal(
    listToolchainPaths(folders, [home]).map((path) => path.replace(home, '~')),
    ['~/.docker/bin', '~/.kube/bin', '~/tool'],
  );
});

test("a program is shown with its package, never with what lies beside it, keys or somebody's whole home", () => {
  const home = makeTempDir();
  const put = (path: string): string => {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), '', { mode: 0o755 });
    return join(home, path);
  };
  const cases: [string, string[]][] = [
    ['.nvm/lib/node_modules/@a/b/cli.js', ['~/.nvm/lib/node_modules/@a/b/cli.js', '~/.nvm/lib/node_modules']],
    ['agent.sh', ['~/agent.sh']],
    ['.claude/agent.sh', ['~/.claude/agent.sh']],
    ['agents/agent.sh', ['~/agents/agent.sh']],
    ['.ssh/id_ed25519', []],
  ];
  for (const [path, shown] of cases) {
    assert.equal(
      listPackagePaths(put(path), home).map((found) => found.replace(home, '~')),
      shown,
    );
  }
  put('package.json');
  put('.tool/package.json');
  assert.equal(
    listPackagePaths(put('.tool/bin/run.js'), home).map((found) => found.replace(home, '~')),
    ['~/.tool/bin/run.js', '~/.tool'],
  );
  symlinkSync(put('.tool/run.js'), join(home, 'run'));
  assert.equal(
    listPackagePaths(join(home, 'run'), home).map((found) => found.replace(home, '~')),
    ['~/run', '~/.tool/run.js', '~/.tool'],
  );
});

test('of a command a cell shows the program and the script it runs, no other file it names', () => {
  const folder = makeTempDir();
  const [script, other, program] = ['agent.js', 'taxes.txt', 'run'].map((name) => join(folder, name));
  for (const path of [script, other, program]) writeFileSync(path ?? '', '');
  const bin = (name: string): string => {
    const path = join(folder, name);
    writeFileSync(path, '');
    return path;
  };
  const [node, bash, python, env] = ['node', 'bash', 'python3.11', 'env'].map(bin);
  const cases: [(string | undefined)[], (string | undefined)[]][] = [
    [[program, other], [program]],
    [
      [node, script, other],
      [node, script],
    ],
    [
      [node, '--no-warnings', '-r', other, script],
      [node, script],
    ],
    [[node, '-e', 'x', other], [node]],
    [
      [bash, script],
      [bash, script],
    ],
    [
      [bash, '-o', 'pipefail', script],
      [bash, script],
    ],
    [[bash, '-c', 'exec bash "$2"', other, script], [bash]],
    [[bash, '-ec', 'cat "$0"', other], [bash]],
    [
      [bash, '--', script],
      [bash, script],
    ],
    [
      [python, '-I', script],
      [python, script],
    ],
    [[python, '-m', other], [python]],
    [
      [env, 'A=b', 'node', script, other],
      [env, script],
    ],
    [[bash, join(folder, 'absent')], [bash]],
  ];
  for (const [command, shown] of cases) assert.equal(listProgramFiles(command.map(String)), shown, command.join(' '));
});

test('programs are found in order; what is no executable file is passed over', () => {
  const [first, second] = [makeTempDir(), makeTempDir()];
  writeFileSync(join(first, 'tool'), '', { mode: 0o644 });
  mkdirSync(join(first, 'other'));
  for (const name of ['tool', 'other']) writeFileSync(join(second, name), '', { mode: 0o755 });
  const folders = listSearchFolders(`${first}:relative:${join(first, 'absent')}::${second}:${first}`);
  assert.equal(folders, [first, second]);
  assert.is(findProgram('tool', folders, '/'), join(second, 'tool'));
  assert.is(findProgram('other', folders, '/'), join(second, 'other'));
  assert.is(findProgram('./tool', [], second), join(second, 'tool'));
  assert.is(findProgram('absent', folders, '/'), null);
});

test('versions compare by number', () => {
  assert.ok(compareVersions('2.10.0', '2.9.9') > 0);
  assert.ok(compareVersions('2.1', '2.1.1') < 0);
  assert.is(compareVersions('2.1', '2.1.0'), 0);
});

test('words of a shell command are quoted where they must be', () => {
  assert.is(shellQuote('/usr/bin/node-20.1_x'), '/usr/bin/node-20.1_x');
  assert.is(shellQuote("it's $HOME"), `'it'\\''s $HOME'`);
  assert.is(shellQuote(''), "''");
});

test('a tail keeps the last bytes of however many parts', () => {
  const tail = createTailBuffer(10);
  for (let index = 0; index < 100; index += 1) tail.push(Buffer.from(`${index},`));
  assert.is(tail.text(), '97,98,99,'.padStart(10, ','));
});

test('an audit line names what the call is about', () => {
  const target = (tool_input: Record<string, unknown>): string =>
    describeCallTarget({ tool_name: 'X', cwd: '/', tool_input });
  assert.is(target({ file_path: '/a', content: 'x' }), '/a');
  assert.is(target({ command: 'ls', description: 'x' }), 'ls');
  assert.is(target({ pattern: '*.ts', path: 'src' }), 'src');
  assert.is(target({ file_path: 7 }), '');
  assert.is(target({ command: 'x'.repeat(9_000) }).length, 2_000);
});

test.run();
