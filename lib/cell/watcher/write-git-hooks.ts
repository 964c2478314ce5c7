import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../util/package-root.ts';

/**
 * Writes the git hooks of one agent, which ask `watcher` (a shell command), into its control folder. Returns
 * the configuration file that puts them in force; see gitCellEnvironment.
 */
export function writeGitHooks(controlDir: string, watcher: string): string {
  const source = join(packageRoot(), 'hooks', 'agent');
  const folder = join(controlDir, 'git-hooks');
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
  const config = join(controlDir, 'git-hooks.config');
  writeFileSync(config, `[core]\n\thooksPath = ${quoteValue(folder)}\n`);
  return config;
}

function quoteValue(text: string): string {
  const escaped = text.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n').replaceAll('\t', '\\t');
  return `"${escaped}"`;
}
