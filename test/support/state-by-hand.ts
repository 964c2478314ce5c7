import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { TestRepo } from './repo.ts';

/** Path of the note on an anchor, such as `ses-…/task-001`, in the tree of a state ref. */
export function noteAt(repo: TestRepo, ref: string, anchor: string): string {
  const key = repo.git('rev-parse', `${ref}:anchors/${anchor}`);
  return `${key.slice(0, 2)}/${key.slice(2)}`;
}

/** Commits a file of this content (null: its absence) on a state ref, as somebody with stock git would. */
export function editByHand(repo: TestRepo, ref: string, path: string, content: string | null): string {
  const index = join(repo.git('rev-parse', '--absolute-git-dir'), 'by-hand');
  const run = (args: readonly string[], input = ''): string =>
    execFileSync('git', args, {
      cwd: repo.path,
      env: { ...repo.env, GIT_INDEX_FILE: index },
      input,
      encoding: 'utf8',
    }).trim();
  run(['read-tree', ref]);
  if (content === null) run(['update-index', '--force-remove', path]);
  else {
    const blob = run(['hash-object', '-w', '--stdin'], content);
    run(['update-index', '--add', '--cacheinfo', `100644,${blob},${path}`]);
  }
  const commit = run(['commit-tree', '-p', ref, '-m', 'by hand', run(['write-tree'])]);
  run(['update-ref', ref, commit]);
  rmSync(index);
  return commit;
}
