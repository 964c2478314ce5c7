import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { quoteGitConfigValue } from '../../git/process/git-settings.ts';
import { shellQuote } from '../../util/shell-quote.ts';
import { packageRoot } from '../../util/user-folders.ts';
import type { WatcherClient } from '../runner-context.ts';

/** The file of a client, among those that run inside cells. */
export function watcherClientFile(client: WatcherClient): string {
  return client === 'native' ? 'watcher' : 'watcher.cjs';
}

/** The hook command, one simple shell command, of a client in the folder `tools`, for the server's socket. */
export function buildWatcherHookCommand(
  client: WatcherClient,
  { tools, socket }: { readonly tools: string; readonly socket: string },
): string {
  const file = join(tools, watcherClientFile(client));
  const words = client === 'native' ? [file, socket] : [...slowStart, process.execPath, file, socket];
  return words.map(shellQuote).join(' ');
}

// With more certificates to load, node takes twice as long to start.
const slowStart = ['env', '-u', 'NODE_EXTRA_CA_CERTS', '-u', 'NODE_OPTIONS'];

/**
 * Writes the git hooks of agents, which ask `watcher` (a shell command), into a folder that cells show as `shown`, and
 * the configuration file that puts them in force; see gitCellEnvironment.
 */
export function writeGitHooks(
  tools: string,
  { shown, watcher }: { readonly shown: string; readonly watcher: string },
): void {
  const source = join(packageRoot(), 'hooks', 'agent');
  const folder = join(tools, hooksFolder);
  mkdirSync(folder, { mode: 0o700 });
  for (const name of readdirSync(source)) {
    const file = join(folder, name);
    writeFileSync(
      file,
      readFileSync(join(source, name), 'utf8').replaceAll('@WATCHER@', () => watcher),
    );
    // Not at writing: the person's umask may say otherwise.
    chmodSync(file, 0o700);
  }
  const config = `[core]\n\thooksPath = ${quoteGitConfigValue(join(shown, hooksFolder))}\n`;
  writeFileSync(gitHooksConfigFile(tools), config);
}

const hooksFolder = 'git-hooks';

/** The configuration file of the hooks in such a folder. */
export function gitHooksConfigFile(tools: string): string {
  return join(tools, 'git-hooks.config');
}
