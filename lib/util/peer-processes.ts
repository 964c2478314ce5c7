import { listProcesses, readLink } from './process-identity.ts';
import { namesIn, readTextOrEmpty } from './read-file.ts';

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
export function peerProcesses(connection: Connection): readonly number[] | null {
  const table = ['/proc/net/tcp', '/proc/net/tcp6'].map(readTextOrEmpty).join('\n');
  if (table.trim() === '' || !isOfThisMachine(connection)) return [];
  const sockets = socketsIn(table, connection);
  if (sockets.size === 0) return null;
  return listProcesses().filter((pid) =>
    namesIn(`/proc/${pid}/fd`).some((name) => sockets.has(readLink(`/proc/${pid}/fd/${name}`))),
  );
}

function isOfThisMachine({ localAddress, remoteAddress = '' }: Connection): boolean {
  return remoteAddress === localAddress || /^(?:::ffff:)?127\.|^::1$/.test(remoteAddress);
}

/** As the descriptors of processes name them. One that was closed has no number any more. */
function socketsIn(table: string, { localPort, remotePort }: Connection): ReadonlySet<string> {
  const fields = table.split('\n').map((line) => line.trim().split(/\s+/));
  const others = fields.filter(
    ([, own = '', other = '']) => portOf(own) === remotePort && portOf(other) === localPort,
  );
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
