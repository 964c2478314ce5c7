import { join } from 'node:path';
import { shellQuote } from '../../util/shell-quote.ts';
import type { WatcherClient } from '../runner-context.ts';

/** The file of a client, among those that run inside cells. */
export function watcherFile({ kind }: WatcherClient): string {
  return { native: 'watcher', perl: 'watcher.pl', node: 'watcher.cjs' }[kind];
}

/** The hook command, one simple shell command, of a client in the folder `tools`, for the server's socket. */
export function watcherCommand(
  client: WatcherClient,
  { tools, socket }: { readonly tools: string; readonly socket: string },
): string {
  return wordsOf(client, tools, socket).map(shellQuote).join(' ');
}

function wordsOf(client: WatcherClient, tools: string, socket: string): string[] {
  const file = join(tools, watcherFile(client));
  if (client.kind === 'native') return [file, socket];
  if (client.kind === 'perl') return ['LC_ALL=C', client.program, file, socket];
  return [...slowStart, process.execPath, file, '--socket', socket];
}

// With more certificates to load, node takes twice as long to start.
const slowStart = ['env', '-u', 'NODE_EXTRA_CA_CERTS', '-u', 'NODE_OPTIONS'];
