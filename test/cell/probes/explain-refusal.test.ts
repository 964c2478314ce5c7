import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { explainBubblewrapRefusal, type SandboxMachineFacts } from '../../../lib/cell/probes/sandbox-probe.ts';

interface Facts {
  readonly programs?: readonly string[];
  readonly files?: Readonly<Record<string, string>>;
  readonly isRoot?: boolean;
}

function machine({ programs = ['bwrap'], files = {}, isRoot = false }: Facts): SandboxMachineFacts {
  const all: Readonly<Record<string, string>> = { '/proc/self/uid_map': '0 0 1', ...files };
  return {
    isRoot,
    read: (path) => all[path] ?? null,
    find: (name) => (programs.includes(name) ? `/usr/bin/${name}` : null),
  };
}

const installs = [
  ['apt-get', 'sudo apt install bubblewrap'],
  ['dnf', 'sudo dnf install bubblewrap'],
  ['pacman', 'sudo pacman -S bubblewrap'],
  ['apk', 'sudo apk add bubblewrap'],
  ['zypper', 'sudo zypper install bubblewrap'],
  ['brew', 'brew install bubblewrap'],
] as const;
for (const [manager, line] of installs) {
  test(`ANY-2 where bubblewrap is missing and ${manager} is there, it names the package`, () => {
    const { why, cure } = explainBubblewrapRefusal('spawn bwrap ENOENT', machine({ programs: [manager] }));
    assert.is(why, 'bubblewrap is not installed.');
    assert.equal(cure, [line]);
  });
}

test('ANY-2 root needs no sudo, and without a known package manager nothing is made up', () => {
  assert.equal(explainBubblewrapRefusal('', machine({ programs: ['apt-get'], isRoot: true })).cure, [
    'apt install bubblewrap',
  ]);
  assert.match(explainBubblewrapRefusal('', machine({ programs: [] })).cure[0] ?? '', "the system's package manager");
});

const apparmor = { '/proc/sys/kernel/apparmor_restrict_unprivileged_userns': '1' };
const refusals: readonly (readonly [string, Facts, readonly RegExp[]])[] = [
  ['bwrap: setting up uid map: Permission denied', { files: apparmor }, [/tee \/etc\/apparmor\.d\/bwrap/, /_userns=0/]],
  [
    'bwrap: loopback: Failed RTM_NEWADDR: Operation not permitted',
    { files: apparmor },
    [/profile bwrap \/usr\/bin\/bwrap/, /_userns=0/],
  ],
  [
    "bwrap: No permissions to create new namespace, likely because the kernel does not allow non-privileged user namespaces. On e.g. debian this can be enabled with 'sysctl kernel.unprivileged_userns_clone=1'.",
    { files: { '/proc/sys/kernel/unprivileged_userns_clone': '0' } },
    [/sudo sysctl -w 'kernel.unprivileged_userns_clone=1'/],
  ],
  [
    'bwrap: Creating new namespace failed: nesting depth or /proc/sys/user/max_*_namespaces exceeded (ENOSPC)',
    { files: { '/proc/sys/user/max_user_namespaces': '0' } },
    [/sudo sysctl -w 'user.max_user_namespaces=15000'/],
  ],
  [
    'bwrap: No permissions to create new namespace',
    { files: { '/.dockerenv': '' } },
    [/^docker run --security-opt seccomp=unconfined/],
  ],
  [
    "bwrap: Can't mount proc on /newroot/proc: Operation not permitted",
    { files: { '/run/.containerenv': '' } },
    [/^podman run .*unmask=ALL/],
  ],
  [
    'bwrap: Creating new namespace failed: Operation not permitted',
    { files: { '/var/run/secrets/kubernetes.io/serviceaccount/namespace': 'x', '/.dockerenv': '' } },
    [/securityContext/],
  ],
  ['bwrap: Unknown option --ro-bind-try', { programs: ['bwrap', 'dnf'] }, [/dnf install bubblewrap/]],
  ['bwrap: prctl(PR_SET_NO_NEW_PRIVS) failed', {}, [/^\/usr\/bin\/bwrap --unshare-user/]],
];
for (const [said, facts, cures] of refusals) {
  test(`ANY-2 refused with "${said.slice(0, 60)}" it is not called missing, and each cure is named`, () => {
    const { why, cure } = explainBubblewrapRefusal(said, machine(facts));
    assert.match(why, /^bubblewrap is installed and can't make a cell here/);
    assert.ok(why.includes(said), why);
    assert.is(cure.length, cures.length, cure.join('\n'));
    for (const [at, pattern] of cures.entries()) assert.match(cure[at] ?? '', pattern);
  });
}

test('ANY-2 settings that bind root not are no reason for root', () => {
  const { cure } = explainBubblewrapRefusal('bwrap: x', machine({ files: apparmor, isRoot: true }));
  assert.equal(
    cure.filter((line) => line.includes('apparmor')),
    [],
  );
});
test.run();
