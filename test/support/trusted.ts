import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseConfig } from '../../lib/config/load-config.ts';
import { FlameError } from '../../lib/domain/flame-error.ts';
import { savePermission } from '../../lib/trust/repository/permission.ts';
import { readRepositoryContent } from '../../lib/trust/repository/repository-content.ts';
import { userDataDir } from '../../lib/util/user-folders.ts';
import type { TestRepo } from './repo.ts';

/** Allows what a repository's files ask for now, as `git flame trust --yes` does; what can't be read is left alone. */
export function trusted<Repo extends Pick<TestRepo, 'path' | 'env'>>(
  repo: Repo,
  options: { readonly env?: TestRepo['env']; readonly config?: string } = {},
): Repo {
  const file = resolve(repo.path, options.config ?? '.blueflame.yml');
  if (!existsSync(file)) return repo;
  const env = { ...repo.env, ...options.env };
  const text = readFileSync(file, 'utf8');
  const [root, commonDir] = [repo.path, join(repo.path, '.git')];
  try {
    const loaded = { ...parseConfig(text, file), file, text };
    const places = {
      ...{ root, commonDir, home: env.HOME ?? '/' },
      ...{ dataDir: userDataDir(env), searchPath: env.PATH ?? '' },
    };
    savePermission({ env, commonDir, root, config: file }, readRepositoryContent(loaded, places), new Date());
  } catch (error) {
    // A test of a mistake in it.
    if (!(error instanceof FlameError)) throw error;
  }
  return repo;
}
