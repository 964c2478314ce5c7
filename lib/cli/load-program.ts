import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  writeFileSync,
} from 'node:fs';
import { userInfo } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Script } from 'node:vm';

/** As .ci/build.mjs writes it. */
type Program = (module: { exports: unknown }, require: (name: string) => unknown, url: string) => void;

interface Loaded {
  readonly exports: unknown;
  /** Keeps what V8 has compiled by now for the next start, unless it took what was kept. */
  keepCompiled(): void;
}

/**
 * Loads the program, with what V8 compiled of it before: to compile it again takes as long as a short command. V8 takes
 * any compiled code for a source of that length, so what is kept has to be as safe as the program. The name of the script
 * is derived from its content, the kept file is named after node's version, and V8 refuses what other flags made.
 * `home` returns the user's home as the system has it on record; it may throw.
 */
export function loadProgram(file: string, home: () => string = () => userInfo().homedir): Loaded {
  // esbuild writes ASCII, so that each byte is a character.
  const source = readFileSync(file, 'latin1');
  const name = `${basename(file)}.${process.version}-${process.arch}.cache`;
  const cachedData = attempt(() => readKept(cacheFolder(dirname(file), home, false), name));
  const script = new Script(source, { filename: file, cachedData });
  const module: { exports: unknown } = { exports: {} };
  const program: Program = script.runInThisContext();
  // Nothing but node's own modules is left to be required.
  program(module, process.getBuiltinModule, pathToFileURL(file).href);
  const isTaken = cachedData !== undefined && script.cachedDataRejected !== true;
  return {
    exports: module.exports,
    keepCompiled: () => {
      if (!isTaken) attempt(() => keep(cacheFolder(dirname(file), home, true), name, script.createCachedData()));
    },
  };
}

/**
 * Beside the program where that folder is this user's own and safe, otherwise below the user's home. No variable names
 * it: those may be set by a repository (direnv) or by the program that starts this one. Throws where neither is safe.
 */
function cacheFolder(beside: string, home: () => string, isMade: boolean): string {
  const folder = realpathSync(beside);
  if (lstatSync(folder).uid === process.getuid?.() && isSafe(folder)) return folder;
  return safeFolder(resolve('/', home(), '.local/state/git-flame/compiled'), isMade);
}

/** The real path of a folder; `isMade`: missing folders are made. Throws where it is not safe or not there. */
function safeFolder(path: string, isMade: boolean): string {
  if (isMade && !existsSync(path)) {
    const folder = join(safeFolder(dirname(path), true), basename(path));
    mkdirSync(folder, { mode: 0o700 });
    return folder;
  }
  const folder = realpathSync(path);
  if (!isSafe(folder)) throw new Error(`${folder} can be changed by others`);
  return folder;
}

/** Whether only this user and root can change what lies in a folder; `folder` is a real path. */
function isSafe(folder: string): boolean {
  for (let one = folder; ; one = dirname(one)) {
    const facts = lstatSync(one);
    // In a sticky folder, such as /tmp, only an entry's owner moves and removes it.
    const isSticky = one !== folder && (facts.mode & 0o1000) !== 0;
    if (!isOwn(facts) || (isWritable(facts) && !isSticky)) return false;
    if (dirname(one) === one) return true;
  }
}

function isOwn({ uid }: Stats): boolean {
  return uid === 0 || uid === process.getuid?.();
}

/** By the group or by others. */
function isWritable({ mode }: Stats): boolean {
  return (mode & 0o022) !== 0;
}

/** undefined: others can write it. Throws where it can't be read. */
function readKept(folder: string, name: string): Buffer | undefined {
  const file = openSync(join(folder, name), constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    const facts = fstatSync(file);
    return isOwn(facts) && !isWritable(facts) ? readFileSync(file) : undefined;
  } finally {
    closeSync(file);
  }
}

/** All of it or nothing, also when several processes do the same or the machine ends meanwhile; older ones go. */
function keep(folder: string, name: string, bytes: Uint8Array): void {
  const made = join(folder, `${name}.${process.pid}`);
  try {
    writeFileSync(made, bytes, { flag: 'wx', flush: true, mode: 0o600 });
    renameSync(made, join(folder, name));
  } catch (error) {
    rmSync(made, { force: true });
    throw error;
  }
  for (const other of readdirSync(folder)) if (other.endsWith('.cache') && other !== name) rmSync(join(folder, other));
}

/** Ignores errors: the cache only saves time, and where the disk is full, say, the next start compiles again. */
function attempt<T>(action: () => T): T | undefined {
  try {
    return action();
  } catch {
    return undefined;
  }
}
