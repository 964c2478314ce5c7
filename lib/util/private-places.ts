import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isBelow } from './is-below.ts';

// Places in a home that hold keys, passwords or letters.
const privateNames = [
  '.ssh',
  '.aws',
  '.gnupg',
  '.kube',
  '.docker',
  '.azure',
  '.netrc',
  '.password-store',
  '.mozilla',
  '.thunderbird',
  '.config/gcloud',
  '.config/gh',
  '.config/google-chrome',
  '.config/chromium',
  '.local/share/keyrings',
  '.local/state/git-flame',
  '.git-credentials',
  '.npmrc',
  '.pypirc',
  '.config/git/credentials',
  '.config/hub',
  '.config/op',
  '.config/rclone',
  '.vault-token',
  '.pgpass',
  '.my.cnf',
  '.boto',
  '.oci',
  '.terraform.d',
  '.claude.json',
  '.claude/.credentials.json',
  '.cargo/credentials',
  '.cargo/credentials.toml',
  '.m2/settings.xml',
  '.gradle/gradle.properties',
  'Library/Keychains',
  'Library/Application Support',
];

/** Whether an absolute path is or lies in one of a home's places for keys and passwords. */
export function isPrivatePlace(path: string, home: string): boolean {
  return privateNames.some((name) => isBelow(path, join(home, name)));
}

/** Whether a folder as a whole shows such a place: it is one, lies in one, or holds them as the home does. */
export function showsPrivatePlace(folder: string, home: string): boolean {
  return isPrivatePlace(folder, home) || isBelow(home, folder) || holdsPrivatePlace(folder, home);
}

function holdsPrivatePlace(folder: string, home: string): boolean {
  return privateNames.some((name) => isBelow(join(home, name), folder));
}

// Devices, processes, sockets: what is open there says more than files do.
const systemPlaces = ['/dev', '/proc', '/sys', '/run', '/var/run'];
const homesFolders = ['/home', '/Users'];

/**
 * Whether a real path may never be shown, not even on request: a home or what is above one, a place of keys
 * in any home, and devices and sockets.
 */
export function isNeverShown(path: string, home: string): boolean {
  if (showsPrivatePlace(path, home) || path === '/root' || isBelow('/home', path)) return true;
  if (homesFolders.includes(dirname(path)) || homesFolders.includes(path)) return true;
  if (privateNames.some((name) => `${path}/`.includes(`/${name}/`))) return true;
  return systemPlaces.some((place) => isBelow(path, place)) || isDoor(path);
}

function isDoor(path: string): boolean {
  const facts = statSync(path, { throwIfNoEntry: false });
  return facts !== undefined && !facts.isFile() && !facts.isDirectory();
}
