import { existsSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { programPath } from '../../util/program-path.ts';
import { type GitContext, runGit } from './run-git.ts';

/**
 * Whether git puts the bytes of a file into the repository as they are, executable as the file is, where no
 * `.gitattributes` of the work tree says otherwise: nothing in the settings or the other files of attributes converts
 * content, and the file system is one that keeps modes and cases apart.
 */
export async function keepsContent(context: GitContext, commonDir: string): Promise<boolean> {
  const { env } = context;
  const home = env.XDG_CONFIG_HOME || join(env.HOME ?? '/', '.config');
  const prefix = dirname(dirname(realPath(programPath('git', env.PATH))));
  const files = [
    join(commonDir, 'info', 'attributes'),
    join(home, 'git', 'attributes'),
    '/etc/gitattributes',
    join(prefix, 'etc', 'gitattributes'),
  ];
  if (process.platform !== 'linux' || files.some((file) => existsSync(file))) return false;
  const names = '^core\\.(autocrlf|attributesfile|filemode|ignorecase|symlinks)$';
  const { stdout } = await runGit(context, ['config', '-z', '--get-regexp', names], { accept: [0, 1] });
  return stdout
    .toString()
    .split('\0')
    .every((entry) => entry === '' || harmless.has(entry.toLowerCase()));
}

const harmless = new Set([
  ...['core.autocrlf\nfalse', 'core.filemode\ntrue', 'core.ignorecase\nfalse', 'core.symlinks\ntrue'],
]);

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
