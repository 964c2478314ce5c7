import { closeSync, openSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';

// As the kernel counts them (O_CLOEXEC, O_ACCMODE); node names neither.
const closeOnExec = 0o2000000;
const accessModes = 0o3;

/** node marks these itself. */
const lowest = 16;

interface Inherited {
  readonly descriptor: number;
  /** Whether it reads, writes or both, as open() takes it. */
  readonly access: number;
}

/**
 * Closes what the caller of this process left open beside its streams, to be called before anything is started. node
 * marks descriptors as its own only up to the first gap above 15; what is higher would be open in all that this process
 * starts, and a folder among it is a way to every file beside it. What node opens is always marked, so what isn't was
 * there before. Returns the words of the command line: a file that one of them names by its descriptor (bash's `<(...)`)
 * stays open here alone, under the number in the word that takes its place.
 *
 * On macOS there is nothing to do: there libuv has the kernel pass on only what is named.
 */
export function closeInheritedDescriptors(words: readonly string[]): string[] {
  const inherited = listInherited();
  const reopened = new Map<string, string>();
  for (const { descriptor, access } of inherited) {
    const isNamed = words.some((word) => namedDescriptor.exec(word)?.groups?.number === String(descriptor));
    if (isNamed) reopened.set(String(descriptor), reopen(descriptor, access));
  }
  // Only now: a number that is free again could be given to what was just opened.
  for (const { descriptor } of inherited) closeSync(descriptor);
  return words.map((word) => {
    const { option = '', number = '' } = namedDescriptor.exec(word)?.groups ?? {};
    const place = reopened.get(number);
    return place === undefined ? word : `${option}${place}`;
  });
}

const namedDescriptor = /^(?<option>--[a-z-]+=)?\/(?:dev|proc\/self)\/fd\/(?<number>\d+)$/;

/** Where the same file is open for this process only; what can't be opened twice (a socket) can't be read by name either. */
function reopen(descriptor: number, access: number): string {
  const path = `/proc/self/fd/${descriptor}`;
  try {
    return `/dev/fd/${openSync(path, access)}`;
  } catch {
    return path;
  }
}

function listInherited(): Inherited[] {
  return listDescriptors().flatMap((descriptor) => {
    const flags = descriptor < lowest ? closeOnExec : readFlags(descriptor);
    const isInherited = (flags & closeOnExec) === 0 && !isOwnLog(descriptor);
    return isInherited ? [{ descriptor, access: flags & accessModes }] : [];
  });
}

function listDescriptors(): number[] {
  try {
    return readdirSync('/proc/self/fd').map(Number);
  } catch {
    return [];
  }
}

/** Of one that is closed by now, as the folder just read is, there are none. */
function readFlags(descriptor: number): number {
  try {
    const info = readFileSync(`/proc/self/fdinfo/${descriptor}`, 'latin1');
    return Number.parseInt(/^flags:\s*(\d+)/m.exec(info)?.[1] ?? '', 8);
  } catch {
    return closeOnExec;
  }
}

// Matches the options that make V8 write logs, whose descriptors it doesn't mark as close-on-exec.
const logging = [...process.execArgv, process.env.NODE_OPTIONS ?? ''].some((word) => /--(?:prof|perf|log)/.test(word));

/** The names of V8's own logs hold the number of this process. */
function isOwnLog(descriptor: number): boolean {
  if (!logging) return false;
  return new RegExp(`-${process.pid}\\b[^/]*$`).test(readlinkSync(`/proc/self/fd/${descriptor}`));
}
