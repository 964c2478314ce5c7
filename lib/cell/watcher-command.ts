import { join } from 'node:path';
import { shellQuote } from '../util/shell-quote.ts';

/** The programs that can ask the decision server; perl starts many times faster than node. */
export type WatcherClient = { readonly kind: 'perl'; readonly program: string } | { readonly kind: 'node' };

/** The hook command, one simple shell command, of a client in the folder `tools`, for the server's socket. */
export function watcherCommand(
  client: WatcherClient,
  { tools, socket }: { readonly tools: string; readonly socket: string },
): string {
  const words =
    client.kind === 'perl'
      ? ['LC_ALL=C', client.program, join(tools, 'watcher.pl'), socket]
      : [...slowStart, process.execPath, join(tools, 'watcher.cjs'), '--socket', socket];
  return words.map(shellQuote).join(' ');
}

// With more certificates to load, node takes twice as long to start.
const slowStart = ['env', '-u', 'NODE_EXTRA_CA_CERTS', '-u', 'NODE_OPTIONS'];
