import { isIP } from 'node:net';
import { badValue } from '../../domain/bad-input.ts';
import type { ServeOptions } from '../../ui/page/page-server.ts';

/** The address a board is served at. */
export interface ServePlace extends Pick<ServeOptions, 'host' | 'port' | 'address'> {
  /** A warning about it for the person, a sentence or two; '': none. */
  readonly warning: string;
}

interface ServeWords {
  readonly port: number | null;
  readonly address: string | null;
}

/**
 * Reads `--port` and `--address`: where the person's own tunnel leads to the board, or an address of this machine to serve
 * it on, which is one of the loopback network by itself. Throws FlameError `bad-value`.
 */
export function readServe({ port, address }: ServeWords, command: string): ServePlace {
  const hints = [`${command} --port 7171 --address https://desk.example:8443`, `${command} -h`];
  if (port !== null && port > 65_535) throw badValue(`There is no port ${port}.`, { hints });
  const at = port === null ? {} : { port };
  if (address === null) return { ...at, warning: '' };
  if (isIP(address) !== 0) return { ...at, ...ownAddress(address, hints) };
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.pathname !== '/' || url.search !== '')
    throw badValue(
      `Option --address needs where a browser finds your tunnel, as https://host:port, or an address of this machine, not ${JSON.stringify(address)}.`,
      { hints },
    );
  return { ...at, address: url, warning: '' };
}

function ownAddress(host: string, hints: readonly string[]): Pick<ServePlace, 'host' | 'warning'> {
  // However it is written: `::ffff:0.0.0.0` is one of them.
  if (/^[0:]*(?:ffff:)?[0:.]*$/i.test(host))
    throw badValue(`${host} is every address of this machine: name the one to serve on.`, { hints });
  if (/^127\.|^::1$/.test(host)) return { host, warning: '' };
  const warning = `The board is served on ${host}, unencrypted: who can read what goes there, or gets its address, has your say. A tunnel of your own to the loopback address is safer.`;
  return { host, warning };
}
