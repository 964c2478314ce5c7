import { basename } from 'node:path';
import { listProcesses, readLink, readStat, runPs } from './process-identity.ts';
import { listNamesIn, readTextOrEmpty } from './read-file.ts';

/** A process as its tree shows it. */
export interface TreeProcess {
  readonly parent: number;
  /** Its program's, without folders. */
  readonly name: string;
  /** Its command line; words that hold blanks are several here. */
  readonly words: readonly string[];
}

/** null where there is none. */
export function readProcess(pid: number): TreeProcess | null {
  if (process.platform !== 'linux') return readProcessByPs(pid);
  const stat = readStat(pid);
  if (stat === null) return null;
  const name = readTextOrEmpty(`/proc/${pid}/comm`).trim();
  return { parent: stat.parent, name, words: wordsOf(readTextOrEmpty(`/proc/${pid}/cmdline`)) };
}

/** The file that a process runs, by the kernel and not by its own name; '' where that can't be seen. */
export function readProgramOfProcess(pid: number): string {
  return readLink(`/proc/${pid}/exe`);
}

/** The variables a process was started with; none where they can't be seen. */
export function readEnvironment(pid: number): Readonly<Record<string, string>> {
  const entries = readTextOrEmpty(`/proc/${pid}/environ`).split('\0');
  return Object.fromEntries(
    entries.map((entry) => [entry.split('=', 1)[0] ?? '', entry.slice(entry.indexOf('=') + 1)]),
  );
}

/** Reads as readProcess does, by ps, where there is no /proc. */
export function readProcessByPs(pid: number): TreeProcess | null {
  const found = /^(\d+)\s+(.+)$/.exec(runPs(pid, 'ppid=,comm=') ?? '');
  if (found === null) return null;
  const [, parent, name = ''] = found;
  return { parent: Number(parent), name: basename(name), words: wordsOf(runPs(pid, 'args=') ?? '') };
}

/** Who started a process, and who started that, up to the first of all, which started everything. */
export function listAncestorsOfProcess(pid: number): readonly number[] {
  const found: number[] = [];
  for (let parent = parentOf(pid); parent > 1; parent = parentOf(parent)) found.push(parent);
  return found;
}

function parentOf(pid: number): number {
  return readProcess(pid)?.parent ?? 0;
}

function wordsOf(line: string): readonly string[] {
  return line.split(/[\0\s]+/).filter((word) => word !== '');
}

/** One end of a connection, as node's sockets have it. */
interface Connection {
  readonly localAddress?: string | undefined;
  readonly localPort?: number | undefined;
  readonly remoteAddress?: string | undefined;
  readonly remotePort?: number | undefined;
}

/**
 * The processes of this machine that hold the other end of a TCP connection, as far as they can be seen: none of those
 * of another machine or user. null: it was of this machine, and is closed.
 */
export function findConnectionPeers(connection: Connection): readonly number[] | null {
  const table = ['/proc/net/tcp', '/proc/net/tcp6'].map(readTextOrEmpty).join('\n');
  if (table.trim() === '' || !isOfThisMachine(connection)) return [];
  const sockets = socketsIn(table, connection);
  if (sockets.size === 0) return null;
  return listProcesses().filter((pid) =>
    listNamesIn(`/proc/${pid}/fd`).some((name) => sockets.has(readLink(`/proc/${pid}/fd/${name}`))),
  );
}

function isOfThisMachine({ localAddress, remoteAddress = '' }: Connection): boolean {
  return remoteAddress === localAddress || /^(?:::ffff:)?127\.|^::1$/.test(remoteAddress);
}

/** As the descriptors of processes name them. One that was closed has no number any more. */
function socketsIn(table: string, { localPort, remotePort }: Connection): ReadonlySet<string> {
  const fields = table.split('\n').map((line) => line.trim().split(/\s+/));
  const others = fields.filter(([, own = '', other = '']) => portOf(own) === remotePort && portOf(other) === localPort);
  return new Set(
    others
      .map((one) => one[9])
      .filter((inode) => inode !== '0')
      .map((inode) => `socket:[${inode}]`),
  );
}

/** Of `0100007F:1F90`. */
function portOf(address: string): number {
  return Number.parseInt(address.split(':')[1] ?? '', 16);
}
