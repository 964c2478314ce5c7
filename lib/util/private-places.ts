import { join } from 'node:path';
import { isBelow } from './is-below.ts';

// Places in a home that hold keys, passwords or letters.
const privateNames = [
  ...['.ssh', '.aws', '.gnupg', '.kube', '.docker', '.azure', '.netrc', '.password-store', '.mozilla'],
  ...['.thunderbird', '.config/gcloud', '.config/gh', '.config/google-chrome', '.config/chromium'],
  ...['.local/share/keyrings', '.local/state/git-flame', '.git-credentials', '.npmrc', '.pypirc'],
  ...['Library/Keychains', 'Library/Application Support'],
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
