// What `npm start` and `npm test` need of the system. What is missing is installed where that is allowed, and named
// with the command that brings it where it isn't: both go on without it. `node .ci/needs.mjs start` or `test`.
import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const managers = [
  { name: 'apt-get', install: ['apt-get', 'install', '-y', '-qq'], update: ['apt-get', 'update', '-qq'] },
  { name: 'dnf', install: ['dnf', 'install', '-y', '-q'] },
  { name: 'pacman', install: ['pacman', '-Sy', '--needed', '--noconfirm'] },
  { name: 'apk', install: ['apk', 'add', '-q'] },
  { name: 'zypper', install: ['zypper', '-n', '-q', 'install'] },
  { name: 'brew', install: ['brew', 'install', '-q'], isOwn: true },
];

const isMac = process.platform === 'darwin';
const files = {
  sshd: ['/usr/sbin/sshd', '/usr/bin/sshd'],
  completion: ['/usr/share/bash-completion/bash_completion', '/opt/homebrew/share/bash-completion/bash_completion'],
};
const isAnyThere = (paths) => paths.some((path) => existsSync(path));

/** By default a package is called as its program in each of them; '' where there is none. */
const needs = [
  { name: 'bubblewrap', program: 'bwrap', what: 'the sandbox of agents', isForStart: true, brew: '' },
  { name: 'man-db', program: 'man', what: 'the manual page', apk: 'mandoc', zypper: 'man', brew: '' },
  { name: 'chromium', what: 'the browser', programs: ['chromium', 'chromium-browser'] },
  { name: 'zsh', what: 'completion in zsh' },
  { name: 'fish', what: 'completion in fish' },
  { name: 'bash-completion', isThere: () => isAnyThere(files.completion), what: 'completion in bash' },
  { name: 'tmux', what: 'a terminal' },
  { name: 'jq', what: 'JSON in shells' },
  {
    name: 'gcc',
    program: 'cc',
    what: 'the compiler',
    'apt-get': 'gcc libc6-dev',
    dnf: 'gcc glibc-devel',
    apk: 'gcc musl-dev',
    zypper: 'gcc glibc-devel',
    brew: '',
  },
  { name: 'openssl', what: 'certificates' },
  { name: 'curl', what: 'requests of tools' },
  {
    name: 'python3-pip',
    program: 'pip3',
    what: 'Python packages',
    pacman: 'python-pip',
    apk: 'py3-pip',
    brew: 'python',
  },
  { name: 'iproute2', program: 'ip', what: 'networks of their own', dnf: 'iproute', brew: '' },
  {
    name: 'openssh-server',
    isThere: () => isAnyThere(files.sshd),
    what: 'remotes over ssh',
    pacman: 'openssh',
    apk: 'openssh',
    zypper: 'openssh',
    brew: '',
  },
];

/** Installs what is missing for 'start' or 'test', and says a line for each. */
export function bringNeeds(purpose) {
  const missing = needs.filter((need) => (need.isForStart || purpose === 'test') && !isThere(need));
  if (missing.length === 0) return;
  const manager = managers.find(({ name }) => hasProgram(name));
  const wanted = missing.filter((need) => packagesOf(need, manager).length > 0);
  const packages = wanted.flatMap((need) => packagesOf(need, manager));
  const before = manager === undefined ? null : rights(manager);
  if (manager === undefined || before === null || packages.length === 0) {
    for (const { name, what } of missing) say(`${name} (${what}) is missing; it goes on without.`);
    if (packages.length > 0) say(`This brings it: sudo ${[...manager.install, ...packages].join(' ')}`);
    return;
  }
  for (const { name, what } of wanted) say(`${name} (${what}) is missing: it is installed with ${manager.name}.`);
  if (manager.update !== undefined) call([...before, ...manager.update]);
  const { status, last } = call([...before, ...manager.install, ...packages]);
  // One that this system's packages lack must not keep the others away.
  if (status !== 0 && wanted.length > 1)
    for (const need of wanted) call([...before, ...manager.install, ...packagesOf(need, manager)]);
  for (const need of missing.filter((one) => !isThere(one)))
    say(`${need.name} could not be installed${last === '' ? '' : ` (${last})`}; it goes on without.`);
}

function isThere({ name, program = name, programs = [program], isThere: isIt }) {
  return isIt === undefined ? programs.some(hasProgram) : isIt();
}

function packagesOf(need, manager) {
  if (manager === undefined || (isMac && need.program === 'bwrap')) return [];
  return (need[manager.name] ?? need.name).split(' ').filter((name) => name !== '');
}

function hasProgram(name) {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/sbin'];
  return folders.some((folder) => {
    try {
      accessSync(join(folder, name), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** What stands before a command that installs; null: this user may not, or would be asked for a password. */
function rights({ isOwn }) {
  if (isOwn || process.getuid?.() === 0) return [];
  return hasProgram('sudo') && call(['sudo', '-n', 'true']).status === 0 ? ['sudo', '-n'] : null;
}

function call([program, ...args]) {
  const { status, stderr } = spawnSync(program, args, {
    encoding: 'utf8',
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: 20 * 60_000,
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  });
  return { status, last: (stderr ?? '').trim().split('\n').at(-1) ?? '' };
}

function say(line) {
  process.stderr.write(`${line}\n`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) bringNeeds(process.argv[2]);
