import { mkdirSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import type { GitLimits } from '../../domain/config/work-bounds.ts';
import { gitFailed } from '../process/git-failed.ts';

/** For what is only looked at: what takes longer is not worth it. */
export const trialLimits: GitLimits = { wallMs: 20_000, cpuSeconds: 15, memoryMb: 2_048 };

/** For what git writes. After a kill it is a quarantine without a cell, which the next start removes. */
export function trialFolder(commonDir: string): string {
  const folder = join(commonDir, 'blueflame', 'objects');
  try {
    mkdirSync(folder, { recursive: true });
    return mkdtempSync(join(folder, 'trial-'));
  } catch (cause) {
    throw gitFailed(`Nothing can be written in ${folder}, so no merge can be tried.`, {
      hints: ['git flame doctor'],
      cause,
    });
  }
}
