import type { GitPort } from '../../domain/ports/git-port.ts';
import { checkOf, type Finding } from '../../domain/shown/finding.ts';
import type { Io } from '../../domain/shown/io.ts';
import { readSetupRecord } from '../../git/setup/setup-record.ts';
import { planGitHooks } from '../init/hooks-setup.ts';

/** Whether installed git hooks still are in force: husky and lefthook put theirs in their place at each install. */
export async function examineHooks(git: Pick<GitPort, 'repository'>, io: Io): Promise<readonly Finding[]> {
  const check = checkOf('state', 'git-hooks', false);
  try {
    if (readSetupRecord(git.repository.commonDir).hooks === null) return [];
    const details = await planGitHooks(git, io);
    if (details.length === 0) return [check.proven('The git hooks are in place.')];
    const message = 'The git hooks were disabled after they were installed.';
    return [check.weaker(message, { details, hints: ['git flame init'] })];
  } catch (error) {
    return [check.failed(error, 'weaker')];
  }
}
