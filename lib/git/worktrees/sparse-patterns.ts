import { join, resolve } from 'node:path';
import { readTextOrEmpty } from '../../util/read-file.ts';
import { type GitContext, gitText } from '../process/run-git.ts';
import { readSettings } from '../process/settings.ts';

/** The patterns of a person's sparse checkout, in the form of .gitignore; null: their work tree holds everything. */
export async function readSparsePatterns(git: GitContext): Promise<readonly string[] | null> {
  if (!(await readSettings(git)).isTrue('core.sparsecheckout')) return null;
  const file = await gitText(git, ['rev-parse', '--git-path', 'info/sparse-checkout']);
  const lines = readTextOrEmpty(resolve(join(git.cwd, '.'), file)).split('\n');
  const patterns = lines.filter((line) => line.trim() !== '' && !line.startsWith('#'));
  return patterns.length === 0 ? null : patterns;
}
