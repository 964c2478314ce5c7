import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { LaunchFile } from '../domain/adapter.ts';

/** One cell's own folders, outside every work tree; the same paths inside and outside the cell. */
export interface RunFolder {
  readonly root: string;
  readonly home: string;
  readonly tmp: string;
  /** Read-only inside. */
  readonly control: string;
  readonly emptyFile: string;
  /** Removes everything; safe to call twice. */
  remove(): void;
}

/** `<common>/blueflame/run`: one folder per living cell. */
export function runRoot(commonDir: string): string {
  return join(commonDir, 'blueflame', 'run');
}

/** `<common>/blueflame/logs`: streams, audits and egress of all agents; they stay. */
export function logRoot(commonDir: string): string {
  return join(commonDir, 'blueflame', 'logs');
}

/** Makes a cell's folders, readable by their owner alone. What an earlier run of that name left is removed. */
export function makeRunFolder(commonDir: string, name: string): RunFolder {
  const root = join(runRoot(commonDir), name);
  rmSync(root, { recursive: true, force: true });
  const folder = { home: join(root, 'home'), tmp: join(root, 'tmp'), control: join(root, 'control') };
  mkdirSync(logRoot(commonDir), { recursive: true, mode: 0o700 });
  mkdirSync(root, { recursive: true, mode: 0o700 });
  for (const path of Object.values(folder)) mkdirSync(path, { mode: 0o700 });
  const emptyFile = join(root, 'empty');
  writeFileSync(emptyFile, '', { mode: 0o400 });
  return { root, ...folder, emptyFile, remove: () => removeTree(root) };
}

/** Writes what the agent needs before it starts. */
export function writeLaunchFiles(folder: RunFolder, files: readonly LaunchFile[]): void {
  for (const file of files) {
    const path = join(file.dir === 'home' ? folder.home : folder.control, file.path);
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(path, file.content, { mode: 0o600 });
  }
}

export interface SocketFolder {
  readonly path: string;
  remove(): void;
}

// sun_path holds 108 bytes with its final zero.
const longestSocketPath = 107;
const longestSocketName = 'gateway.sock';

/** A private folder whose sockets have names short enough to bind: in the run folder, else a temporary one. */
export function makeSocketFolder(folder: RunFolder): SocketFolder {
  const usual = join(folder.root, 'sockets');
  const isShort = Buffer.byteLength(join(usual, longestSocketName)) <= longestSocketPath;
  if (isShort) mkdirSync(usual, { mode: 0o700 });
  const path = isShort ? usual : mkdtempSync(join(tmpdir(), 'flame-'));
  return { path, remove: () => removeTree(path) };
}

// An agent may have taken the permissions from its own folders. What can't be removed is left for cleanup.
function removeTree(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    openFolders(path);
    attempt(() => rmSync(path, { recursive: true, force: true }));
  }
}

function openFolders(folder: string): void {
  attempt(() => chmodSync(folder, 0o700));
  attempt(() => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (entry.isDirectory()) openFolders(join(folder, entry.name));
    }
  });
}

function attempt(action: () => void): void {
  try {
    action();
  } catch {
    // The next step finds out.
  }
}
