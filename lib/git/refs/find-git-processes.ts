import { listProcesses } from '../../util/process-identity.ts';
import { readTextOrEmpty } from '../../util/read-file.ts';
import { readLinkTarget } from '../../util/real-and-private-paths.ts';

/**
 * Processes of git that work in one of these folders or below, or have one of them as an argument. The
 * long-lived ones of this tool, which read objects or wait for refs to move, aren't among them. Empty where
 * the system doesn't list them.
 */
export function findGitProcesses(folders: readonly string[]): readonly number[] {
  return listProcesses().filter((pid) => {
    if (readTextOrEmpty(`/proc/${pid}/comm`).trim() !== 'git') return false;
    const words = readTextOrEmpty(`/proc/${pid}/cmdline`).split('\0');
    if (words.includes('cat-file') || words.includes('git flame')) return false;
    const places = [readLinkTarget(`/proc/${pid}/cwd`) ?? '', ...words.map((word) => word.replace(/^--[a-z-]+=/, ''))];
    return places.some((place) => folders.some((folder) => isWithin(place, folder)));
  });
}

function isWithin(path: string, folder: string): boolean {
  return folder.length > 1 && path.length > 1 && `${path}/`.startsWith(`${folder}/`);
}
