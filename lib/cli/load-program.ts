import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join } from 'node:path';
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
 * Loads the program, with what V8 compiled of it before: to compile it again takes as long as a short command. The name
 * of the script tells its content, that of what is kept the node it is for, and V8 refuses what another version or other
 * flags made.
 */
export function loadProgram(file: string): Loaded {
  // esbuild writes ASCII, so that each byte is a character.
  const source = readFileSync(file, 'latin1');
  const kept = join(cacheFolder(dirname(file)), `${basename(file)}.${process.version}-${process.arch}.cache`);
  const cachedData = isOwn(dirname(kept)) ? readIfThere(kept) : undefined;
  const script = new Script(source, { filename: file, cachedData });
  const module: { exports: unknown } = { exports: {} };
  const program: Program = script.runInThisContext();
  // Nothing but node's own modules is left to be required.
  program(module, process.getBuiltinModule, pathToFileURL(file).href);
  const isTaken = cachedData !== undefined && script.cachedDataRejected !== true;
  return {
    exports: module.exports,
    keepCompiled: () => {
      if (!isTaken) write(kept, script.createCachedData());
    },
  };
}

/**
 * Beside the program, where only this user may write: whoever can write there can write the program as well. Otherwise
 * the folder of what this user allowed, which is as good as the right to run something.
 */
function cacheFolder(folder: string): string {
  if (isOwn(folder)) return folder;
  const { XDG_STATE_HOME: named = '' } = process.env;
  return join(isAbsolute(named) ? named : join(homedir(), '.local', 'state'), 'git-flame', 'compiled');
}

function isOwn(folder: string): boolean {
  const found = statSync(folder, { throwIfNoEntry: false });
  return found !== undefined && found.uid === process.getuid?.() && (found.mode & 0o022) === 0;
}

/** What can't be read only saves time. */
function readIfThere(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}

/** All of it or nothing, whoever else does the same, and whatever ends this process or the machine; older ones go. */
function write(file: string, bytes: Uint8Array): void {
  const [folder, made] = [dirname(file), `${file}.${process.pid}`];
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (!isOwn(folder)) return;
    writeFileSync(made, bytes, { flag: 'wx', flush: true });
    renameSync(made, file);
    for (const name of readdirSync(folder))
      if (name.endsWith('.cache') && name !== basename(file)) rmSync(join(folder, name));
  } catch {
    // A full disk, say: the next start compiles again.
    rmSync(made, { force: true });
  }
}
