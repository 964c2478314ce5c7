import { readlinkSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { listWords } from './sort-and-group.ts';

// As many as Linux follows.
const mostLinks = 40;

/** Resolves links, also above what isn't there yet, and those that lead nowhere yet. */
export function realPathEvenIfMissing(path: string, linksLeft = mostLinks): string {
  try {
    return realpathSync(path);
  } catch {
    const target = readLinkTarget(path);
    const above = dirname(path);
    if (target !== null && linksLeft > 0) return realPathEvenIfMissing(resolve(above, target), linksLeft - 1);
    return above === path ? path : join(realPathEvenIfMissing(above, linksLeft), basename(path));
  }
}

/** Resolves links; the path itself where nothing is there. */
export function realPathOrSame(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** Reads the target of a link; null: it is none, or can't be read. */
export function readLinkTarget(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch {
    return null;
  }
}

/** Whether an absolute path is the folder itself or lies below it, by its text. */
export function isSameOrBelowFolder(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}

// Places in a home that hold keys, passwords or letters.
const privateNames = [
  ...listWords(`
    .ssh .aws .gnupg .kube .docker .azure .netrc .password-store .mozilla .thunderbird .config/gcloud .config/gh
    .config/google-chrome .config/chromium .local/share/keyrings .local/state/git-flame .git-credentials .npmrc
    .pypirc .config/git/credentials .config/hub .config/op .config/rclone .vault-token .pgpass .my.cnf .boto .oci
    .terraform.d .claude.json .claude/.credentials.json .cargo/credentials .cargo/credentials.toml .m2/settings.xml
    .gradle/gradle.properties Library/Keychains`),
  'Library/Application Support',
];

/** Whether an absolute path is or lies in one of a home's places for keys and passwords. */
export function isKeyOrPasswordPath(path: string, home: string): boolean {
  return privateNames.some((name) => isSameOrBelowFolder(path, join(home, name)));
}

/** Whether a folder as a whole shows such a place: it is one, lies in one, or holds them as the home does. */
export function folderShowsKeyPath(folder: string, home: string): boolean {
  return isKeyOrPasswordPath(folder, home) || isSameOrBelowFolder(home, folder) || holdsPrivatePlace(folder, home);
}

function holdsPrivatePlace(folder: string, home: string): boolean {
  return privateNames.some((name) => isSameOrBelowFolder(join(home, name), folder));
}

// Devices, processes, sockets: what is open there says more than files do.
const systemPlaces = ['/dev', '/proc', '/sys', '/run', '/var/run'];
const homesFolders = ['/home', '/Users'];

/**
 * Whether a real path may never be shown, not even on request: a home or what is above one, a place of keys
 * in any home, and devices and sockets.
 */
export function isNeverShown(path: string, home: string): boolean {
  if (folderShowsKeyPath(path, home) || path === '/root' || isSameOrBelowFolder('/home', path)) return true;
  if (homesFolders.includes(dirname(path)) || homesFolders.includes(path)) return true;
  if (privateNames.some((name) => `${path}/`.includes(`/${name}/`))) return true;
  return systemPlaces.some((place) => isSameOrBelowFolder(path, place)) || isDoor(path);
}

function isDoor(path: string): boolean {
  const facts = statSync(path, { throwIfNoEntry: false });
  return facts !== undefined && !facts.isFile() && !facts.isDirectory();
}
