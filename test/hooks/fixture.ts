import { spawnSync } from 'node:child_process';
import { chmodSync, lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { TestRepo } from '../support/repo.ts';

/** Every file below a folder with its mode and bytes, links with their target, folders too. */
export function snapshot(folder: string): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  const visit = (path: string): void => {
    for (const name of readdirSync(join(folder, path)).sort()) {
      const file = join(path, name);
      const stat = lstatSync(join(folder, file));
      const mode = (stat.mode & 0o7777).toString(8);
      if (stat.isSymbolicLink()) found[file] = `link ${readlinkSync(join(folder, file))}`;
      else if (stat.isFile()) found[file] = `${mode} ${readFileSync(join(folder, file), 'latin1')}`;
      else {
        found[file] = `${mode} folder`;
        visit(file);
      }
    }
  };
  visit('');
  return found;
}

/** Writes an executable sh script, or any text with another mode. */
export function writeHook(file: string, lines: readonly string[], mode = 0o755): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `#!/bin/sh\n${lines.join('\n')}\n`);
  chmodSync(file, mode);
}

export interface GitRun {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs git with hooks in force, as a person does; nothing throws. */
export function runGit(
  repo: TestRepo,
  args: readonly string[],
  options: { readonly cwd?: string; readonly env?: Readonly<Record<string, string>> } = {},
): GitRun {
  const run = spawnSync('git', args, {
    cwd: options.cwd ?? repo.path,
    env: { ...repo.env, ...options.env },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return { code: run.status, stdout: run.stdout, stderr: run.stderr };
}
