import { readFileSync, readlinkSync } from 'node:fs';
import { listProcesses } from '../../util/process-identity.ts';

/**
 * Processes of git that work in one of these folders or below, or have one of them as an argument. The
 * long-lived ones of this tool, which read objects or wait for refs to move, aren't among them. Empty where
 * the system doesn't list them.
 */
export function findGitProcesses(folders: readonly string[]): readonly number[] {
  return listProcesses().filter((pid) => {
    if (readProc(pid, 'comm').trim() !== 'git') return false;
    const words = readProc(pid, 'cmdline').split('\0');
    if (words.includes('cat-file') || words.includes('git flame')) return false;
    const places = [workingFolder(pid), ...words.map((word) => word.replace(/^--[a-z-]+=/, ''))];
    return places.some((place) => folders.some((folder) => isWithin(place, folder)));
  });
}

function isWithin(path: string, folder: string): boolean {
  return folder.length > 1 && path.length > 1 && `${path}/`.startsWith(`${folder}/`);
}

function readProc(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}

function workingFolder(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return '';
  }
}
