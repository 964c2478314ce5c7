import { getAdapter } from '../../../lib/agents/get-adapter.ts';
import { makeRunnerContext } from '../../../lib/cell/run/make-context.ts';
import type { examineDiagnostics } from '../../../lib/commands/doctor/doctor.ts';
import { parseConfig } from '../../../lib/config/load-config.ts';
import { openGit } from '../../../lib/git/open-git.ts';
import type { TestRepo } from '../../support/repo.ts';

/** What the parts of doctor are given, for a repository its person allowed; its git is to be closed. */
export async function openTrial(
  repo: TestRepo,
  env: Readonly<Record<string, string>> = {},
): Promise<Parameters<typeof examineDiagnostics>[0]> {
  const git = await openGit({ cwd: repo.path, env: repo.env });
  const isConfigured = repo.git('ls-tree', 'HEAD', '.blueflame.yml') !== '';
  const text = isConfigured ? repo.git('show', 'HEAD:.blueflame.yml') : '';
  const { config } = parseConfig(text, '.blueflame.yml');
  const options = {
    ...{ config, repository: git.repository, env: { ...repo.env, PATH: process.env.PATH, ...env } },
    ...{ adapters: (name: string) => getAdapter(name, config), distDir: 'dist', now: () => new Date() },
  };
  return { git, options, context: makeRunnerContext(options), isAllowed: true };
}
