import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { CellProfile } from '../../../lib/cell/sandbox/bwrap-profile.ts';
import { renderSeatbeltProfile } from '../../../lib/cell/sandbox/confine.ts';

const profile: CellProfile = {
  hidden: ['/Users/lea', '/private/tmp'],
  system: [{ path: '/nix/store', link: null }],
  covered: [{ path: '/Users/lea/repo/certs', shown: '/run/tree' }],
  shownAgain: [],
  readOnly: ['/Users/lea/repo'],
  hiddenInside: ['/Users/lea/repo/.trees'],
  emptied: [],
  hiddenFiles: ['/Users/lea/repo/agent.sock'],
  kernelEntries: ['/proc/sys'],
  emptyFile: () => '/empty',
  writable: ['/Users/lea/repo/.trees/worker-1', '/home-of-agent'],
  protected: ['/Users/lea/repo/.trees/worker-1/.git'],
  overlays: [],
  mounts: [],
  links: [],
  doors: { sockets: [], ports: [] },
  tempDir: '/tmp-of-agent',
  workingDirectory: '/Users/lea/repo/.trees/worker-1',
  env: {},
  isInteractive: false,
  mayTrace: false,
};

/** The verdict of the last rule of an operation that covers a path, as Seatbelt decides. */
function decide(text: string, operation: string, path: string): string {
  const lines = text.split('\n').filter((line) => {
    const operations = line.replace(/^\((?:allow|deny) /, '').split('(')[0] ?? '';
    const names = operations.trim().split(' ');
    if (!names.some((name) => name === operation || (name.endsWith('*') && operation.startsWith(name.slice(0, -1)))))
      return false;
    const places = [...line.matchAll(/\((subpath|literal) "((?:[^"\\]|\\.)*)"\)/g)];
    const covers = ([, kind, place = '']: RegExpMatchArray): boolean =>
      path === place || (kind === 'subpath' && path.startsWith(place === '/' ? '/' : `${place}/`));
    return places.length === 0 || places.some(covers);
  });
  return lines.at(-1)?.startsWith('(allow') === true ? 'allow' : 'deny';
}

test('SBX-2 on macOS: only the cell is writable, its .git is not, other worktrees and the home are not read', () => {
  const text = renderSeatbeltProfile(profile);
  const own = '/Users/lea/repo/.trees/worker-1';
  assert.is(decide(text, 'file-write-data', `${own}/src/a.ts`), 'allow');
  assert.is(decide(text, 'file-write-data', `${own}/.git`), 'deny');
  assert.is(decide(text, 'file-write-data', '/Users/lea/repo/src/a.ts'), 'deny');
  assert.is(decide(text, 'file-write-data', '/etc/hosts'), 'deny');
  assert.is(decide(text, 'file-read-data', '/Users/lea/.ssh/id_ed25519'), 'deny');
  // What nobody names is not shown, whoever it belongs to.
  for (const path of ['/Users/max/notes.txt', '/Volumes/backup/x', '/Library/Keychains/x', '/opt/other/x', '/srv/x'])
    assert.is(decide(text, 'file-read-data', path), 'deny', path);
  for (const path of ['/usr/lib/libSystem.dylib', '/System/Library/x', '/nix/store/x', '/private/etc/hosts'])
    assert.is(decide(text, 'file-read-data', path), 'allow', path);
  assert.is(decide(text, 'file-read-data', '/Users/lea/repo/src/a.ts'), 'allow');
  assert.is(decide(text, 'file-read-data', '/Users/lea/repo/.trees/worker-2/a.ts'), 'deny');
  assert.is(decide(text, 'file-read-data', `${own}/src/a.ts`), 'allow');
  assert.is(decide(text, 'file-read-data', '/Users/lea/repo/agent.sock'), 'deny');
});

test('SBX-1 on macOS: no network but the doors that are named', () => {
  const lines = renderSeatbeltProfile({
    ...profile,
    doors: { sockets: ['/s/decide.sock'], ports: [4711] },
  }).split('\n');
  const network = lines.filter((line) => line.includes('network'));
  assert.equal(network, [
    '(deny network*)',
    '(allow network-outbound (remote unix-socket (path-literal "/s/decide.sock")))',
    '(allow network-outbound (remote ip "localhost:4711"))',
  ]);
  assert.is(lines[1], '(deny default)');
});

test('a path with quotes and backslashes cannot add a rule', () => {
  const hostile = '/x") (allow file-write* (subpath "/\\';
  const text = renderSeatbeltProfile({ ...profile, writable: [hostile] });
  assert.ok(text.includes('(subpath "/x\\") (allow file-write* (subpath \\"/\\\\")'));
  assert.is(decide(text, 'file-write-data', '/etc/hosts'), 'deny');
});

test.run();
