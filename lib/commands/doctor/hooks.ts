import { FlameError } from '../../domain/flame-error.ts';
import type { GitPort } from '../../domain/ports/git-port.ts';
import { type Finding, finding } from '../../domain/shown/finding.ts';
import type { Io } from '../../domain/shown/io.ts';
import { readSetupRecord } from '../../git/setup/setup-record.ts';
import { planGitHooks } from '../init/hooks-setup.ts';

/** Whether installed git hooks still are in force: husky and lefthook put theirs in their place at each install. */
export async function examineHooks(git: Pick<GitPort, 'repository'>, io: Io): Promise<readonly Finding[]> {
  const base = { area: 'state', check: 'git-hooks', isRequired: false } as const;
  try {
    if (readSetupRecord(git.repository.commonDir).hooks === null) return [];
    const missing = await planGitHooks(git, io);
    return missing.length === 0
      ? [finding({ ...base, result: 'proven', message: 'The git hooks are in place.' })]
      : [
          finding({
            ...base,
            result: 'weaker',
            message: 'The git hooks were disabled after they were installed.',
            details: missing,
            hints: ['git flame init'],
          }),
        ];
  } catch (error) {
    if (!(error instanceof FlameError)) throw error;
    const { message, lines: details, hints } = error;
    return [finding({ ...base, result: 'weaker', message, details, hints })];
  }
}
