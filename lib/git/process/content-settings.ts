import { existsSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { programPath } from '../../util/program-path.ts';
import type { GitContext } from './run-git.ts';
import { repositorySettings } from './settings.ts';

/**
 * Whether git puts the bytes of a file into the repository as they are, executable as the file is, where no
 * `.gitattributes` of the work tree says otherwise: nothing in the settings or the other files of attributes converts
 * content, and the file system is one that keeps modes and cases apart.
 */
export async function keepsContent({ env }: Pick<GitContext, 'env'>, commonDir: string): Promise<boolean> {
  const home = env.XDG_CONFIG_HOME || join(env.HOME ?? '/', '.config');
  const prefix = dirname(dirname(realPath(programPath('git', env.PATH))));
  const files = [
    join(commonDir, 'info', 'attributes'),
    join(home, 'git', 'attributes'),
    '/etc/gitattributes',
    join(prefix, 'etc', 'gitattributes'),
  ];
  if (process.platform !== 'linux' || files.some((file) => existsSync(file))) return false;
  const settings = await repositorySettings(env, commonDir);
  return settings
    .entries(/^core\.(?:autocrlf|attributesfile|filemode|ignorecase|symlinks)$/)
    .every(({ key, value }) => harmless.has(`${key}=${value}`.toLowerCase()));
}

const harmless = new Set([
  ...['core.autocrlf=false', 'core.filemode=true', 'core.ignorecase=false', 'core.symlinks=true'],
]);

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
