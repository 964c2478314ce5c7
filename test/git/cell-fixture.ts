import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type ObjectId, parseObjectId } from '../../lib/domain/ids.ts';
import type { CellWorktree } from '../../lib/domain/ports/git-cells.ts';
import type { GitPort } from '../../lib/domain/ports/git-port.ts';
import { quarantineVariables } from '../../lib/git/objects/git-access.ts';
import { openGit } from '../../lib/git/open-git.ts';
import { hermeticEnv, makeRepo, type TestRepo } from '../support/repo.ts';

export interface Fixture {
  readonly repo: TestRepo;
  readonly port: GitPort;
  readonly head: ObjectId;
  /** Path for a cell's worktree. */
  tree(id: string): string;
}

export async function openFixture(
  options: { readonly name?: string; readonly objectFormat?: 'sha1' | 'sha256' } = {},
): Promise<Fixture> {
  const repo = makeRepo(options);
  const port = await openGit({ cwd: repo.path, env: repo.env });
  return {
    repo,
    port,
    head: parseObjectId(repo.git('rev-parse', 'HEAD')),
    tree: (id) => join(repo.path, '.trees', id),
  };
}

/** git as an agent runs it: in its worktree, objects into the quarantine. */
export function agentGit(cell: CellWorktree, ...args: string[]): string {
  return execFileSync('git', args, {
    cwd: cell.path,
    env: { ...hermeticEnv, ...quarantineVariables(cell.quarantine) },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  }).trim();
}

export function agentWrites(cell: CellWorktree, path: string, text: string): void {
  mkdirSync(dirname(join(cell.path, path)), { recursive: true });
  writeFileSync(join(cell.path, path), text);
}

export function agentCommits(cell: CellWorktree, message: string): ObjectId {
  agentGit(cell, 'add', '-A');
  agentGit(cell, 'commit', '-q', '-m', message);
  return parseObjectId(agentGit(cell, 'rev-parse', 'HEAD'));
}

/** What the person's own git says about the repository; empty if all is well. */
export function findDamage(repo: TestRepo): string {
  return [
    ['fsck', '--full', '--strict', '--no-dangling'],
    ['log', '--all', '--format=%H'],
    ['worktree', 'list'],
    ['gc', '-q'],
  ]
    .map((args) => spawnSync('git', args, { cwd: repo.path, env: repo.env, encoding: 'utf8' }))
    .map(({ status, stderr, stdout }) =>
      status === 0 && !/missing|broken|error/.test(stdout + stderr) ? '' : stdout + stderr,
    )
    .join('');
}

/** The code of the FlameError a promise rejects with. */
export async function codeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return 'no error';
  } catch (error) {
    return error instanceof Error && 'code' in error ? `${error.code}` : `${error}`;
  }
}
