import { execFileSync } from 'node:child_process';
import { type ObjectId, parseObjectId } from '../../lib/domain/ids.ts';
import type { Random } from './random.ts';
import type { TestRepo } from './repo.ts';

/** Commits without files that fork and join at random, with times that say nothing of their order; the oldest first. */
export function makeHistory(repo: TestRepo, random: Random, count: number): readonly [ObjectId, ...ObjectId[]] {
  let stream = '';
  for (let at = 0; at < count; at += 1) {
    stream += `commit refs/heads/c${at}\ncommitter L <l@example.com> ${random.int(1, 99)} +0000\ndata 1\nm\n`;
    const parents = [...new Set([at - 1, random.int(0, Math.max(0, at - 1)), at - 3])].filter(
      (parent) => parent >= 0 && parent < at && random.chance(0.6),
    );
    for (const [index, parent] of parents.entries())
      stream += `${index === 0 ? 'from' : 'merge'} refs/heads/c${parent}\n`;
  }
  execFileSync('git', ['fast-import', '--quiet'], { cwd: repo.path, env: repo.env, input: stream });
  const names = Array.from({ length: count }, (_, at) => `c${at}`);
  const [first, ...others] = repo
    .git('rev-parse', ...names)
    .split('\n')
    .map(parseObjectId);
  if (first === undefined) throw new Error('A history has a commit.');
  return [first, ...others];
}
