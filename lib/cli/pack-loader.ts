import { accessSync, constants, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Script } from 'node:vm';

type Load = (chunk: string) => unknown;
/** As .ci/packs.mjs writes it: all chunks a pack holds, each loaded when it is asked for. */
type Pack = (module: { exports: Chunks }, require: Load, url: string) => void;
type Chunks = Readonly<Record<string, () => unknown>>;

/** Where the program begins. */
export interface PackStart {
  readonly file: string;
  readonly chunk: string;
}

interface OpenPack {
  readonly chunks: Chunks;
  readonly script: Script;
  /** Where what V8 compiles of it is to be kept; null: nowhere, or V8 took what is kept there. */
  readonly unkept: string | null;
}

// What is smaller is compiled as quickly as a file is read.
const leastKept = 64 * 1024;

/**
 * Loads the program from its packs in dist/, and what V8 compiled of them before from beside them: by whoever may
 * write there, the program itself can be written. A file's name tells which content and which node it is for, and V8
 * refuses what another one or other flags made; then, and where there is none, all is compiled as it is needed.
 */
export class PackLoader {
  readonly #folder: string;
  readonly #start: PackStart;
  readonly #packs = new Map<string, OpenPack>();
  readonly #loaded = new Map<string, unknown>();
  #index: Readonly<Record<string, string>> | null = null;

  constructor(folder: string, start: PackStart) {
    this.#folder = folder;
    this.#start = start;
  }

  /** What the chunk at the beginning exports. */
  start(): unknown {
    return this.#require(this.#start.chunk);
  }

  /** Keeps what is compiled by now of packs of which nothing is kept that V8 takes, where that may be written. */
  keepCompiled(): void {
    for (const { script, unkept } of this.#packs.values())
      if (unkept !== null && mayWrite(this.#folder)) writeWhole(unkept, script.createCachedData());
  }

  readonly #require = (name: string): unknown => {
    if (!name.startsWith('./')) return openBuiltin(name);
    if (!this.#loaded.has(name)) this.#loaded.set(name, this.#find(name)());
    return this.#loaded.get(name);
  };

  #find(name: string): () => unknown {
    const found = this.#open(this.#start.file).chunks[name];
    if (found !== undefined) return found;
    // Most that a short command needs is in the first pack.
    this.#index ??= JSON.parse(readFileSync(join(this.#folder, 'packs.json'), 'latin1'));
    const file = this.#index?.[name];
    const other = file === undefined ? undefined : this.#open(file).chunks[name];
    if (other === undefined) throw new Error(`Internal error: ${name} is in no pack of ${this.#folder}`);
    return other;
  }

  #open(file: string): OpenPack {
    const known = this.#packs.get(file);
    if (known !== undefined) return known;
    const filename = join(this.#folder, file);
    // esbuild writes ASCII, so that each byte is a character.
    const source = readFileSync(filename, 'latin1');
    const kept = source.length < leastKept ? null : `${filename}.${process.version}-${process.arch}.cache`;
    const cachedData = kept === null ? undefined : readIfThere(kept);
    const script = new Script(source, { filename, cachedData });
    const module: { exports: Chunks } = { exports: {} };
    const pack: Pack = script.runInThisContext();
    pack(module, this.#require, pathToFileURL(filename).href);
    const isTaken = cachedData !== undefined && script.cachedDataRejected !== true;
    const opened = { chunks: module.exports, script, unkept: isTaken ? null : kept };
    this.#packs.set(file, opened);
    return opened;
  }
}

/** What nearly all packs import and short commands have no use for. */
const seldom = 'node:crypto';

/** One of node's own modules. */
function openBuiltin(name: string): unknown {
  if (name !== seldom) return builtin(name);
  // It takes as long to load as all of a pack: that is left to whoever asks for a part of it.
  const load = (): object => builtin(name) as object;
  return new Proxy({}, { get: (_, part) => Reflect.get(load(), part), has: (_, part) => part in load() });
}

function builtin(name: string): unknown {
  return process.getBuiltinModule(name);
}

/** What can't be read only saves time. */
function readIfThere(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}

/** Whether the folder is this user's alone to write: then who can write there could write the program as well. */
function mayWrite(folder: string): boolean {
  const { uid, mode } = statSync(folder);
  if (uid !== process.getuid?.() || (mode & 0o022) !== 0) return false;
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** All of it or nothing, whoever else does the same, and whatever ends this process or the machine. */
function writeWhole(file: string, bytes: Uint8Array): void {
  const made = `${file}.${process.pid}`;
  try {
    writeFileSync(made, bytes, { flag: 'wx', flush: true });
    renameSync(made, file);
  } catch {
    // A full disk, say: the next start compiles again.
    rmSync(made, { force: true });
  }
}
