import type { Config } from '../../domain/config/config.ts';
import type { GitPort } from '../../domain/ports/git-port.ts';
import { checkOf, type Finding } from '../../domain/shown/finding.ts';
import { findBase } from '../../engine/work/preflight.ts';
import { shellQuote } from '../../util/shell-quote.ts';
import { shortId } from '../../util/short-id.ts';
import { requireWorkTree } from '../open/read-config.ts';

/** What work would start from here: the base branch, a name to commit by, and a configuration that is committed. */
export async function examineBase(git: GitPort, config: Config): Promise<readonly Finding[]> {
  const base = await attempt('base-branch', async () => {
    const { branch, commit } = await findBase({ git, config, root: requireWorkTree(git) });
    return `Work starts from ${branch} at ${shortId(commit)}.`;
  });
  const name = await attempt('identity', async () => `Commits are made by ${await git.identity()}.`);
  return [base, name, ...(await examineConfigFile(git))];
}

async function attempt(check: string, look: () => Promise<string>): Promise<Finding> {
  const { proven, failed } = checkOf('programs', check);
  return look().then(
    (message) => proven(message),
    (error: unknown) => failed(error),
  );
}

async function examineConfigFile(git: GitPort): Promise<readonly Finding[]> {
  const { mainWorkTree: root } = git.repository;
  if (root === null || !(await git.changedTracked(root)).includes('.blueflame.yml')) return [];
  return [
    checkOf('programs', 'configuration-committed', false).weaker(
      '.blueflame.yml has changes that are not committed: nothing is started before they are.',
      { hints: [`git -C ${shellQuote(root)} commit -m 'configure git flame' .blueflame.yml`] },
    ),
  ];
}
