import type { Config } from '../../domain/config/config.ts';
import { FlameError } from '../../domain/flame-error.ts';
import type { GitPort } from '../../domain/ports/git-port.ts';
import { type Finding, finding } from '../../domain/shown/finding.ts';
import { type Base, findBase } from '../../engine/work/preflight.ts';
import { shellQuote } from '../../util/shell-quote.ts';
import { shortId } from '../../util/short-id.ts';
import { requireWorkTree } from '../open/read-config.ts';

/** What work would start from here: the base branch, a name to commit by, and a configuration that is committed. */
export async function examineBase(git: GitPort, config: Config): Promise<readonly Finding[]> {
  const base = await attempt('base-branch', async () => describeBase(await findBase(placeOf(git, config))));
  const name = await attempt('identity', async () => `Commits are made by ${await git.identity()}.`);
  return [base, name, ...(await examineConfigFile(git))];
}

function placeOf(git: GitPort, config: Config): Parameters<typeof findBase>[0] {
  return { git, config, root: requireWorkTree(git) };
}

function describeBase({ branch, commit }: Base): string {
  return `Work starts from ${branch} at ${shortId(commit)}.`;
}

async function attempt(check: string, look: () => Promise<string>): Promise<Finding> {
  const base = { area: 'programs', check } as const;
  try {
    return finding({ ...base, result: 'proven', message: await look() });
  } catch (error) {
    if (!(error instanceof FlameError)) throw error;
    const { message, lines: details, hints } = error;
    return finding({ ...base, result: 'missing', message, details, hints });
  }
}

async function examineConfigFile(git: GitPort): Promise<readonly Finding[]> {
  const { mainWorkTree: root } = git.repository;
  if (root === null || !(await git.changedTracked(root)).includes('.blueflame.yml')) return [];
  return [
    finding({
      ...{ area: 'programs', check: 'configuration-committed', result: 'weaker', isRequired: false },
      message: '.blueflame.yml has changes that are not committed: nothing is started before they are.',
      hints: [`git -C ${shellQuote(root)} commit -m 'configure git flame' .blueflame.yml`],
    }),
  ];
}
