import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type GitContext, runGit } from '../process/run-git.ts';

/** Well below the 6,700 at which the person's next git command would start a gc of its own. */
const manyLooseObjects = 2_000;
/** Below the 50 packs at which that gc starts; each large change makes one. */
const manyPacks = 40;

/**
 * Packs loose objects once there are many, and small packs: state changes leave about four objects each. Other writers
 * may continue meanwhile, since `git repack -d` removes only what it has packed.
 */
export async function repackLoose(context: GitContext, commonDir: string): Promise<void> {
  const packs = await readdir(join(commonDir, 'objects', 'pack')).catch(() => []);
  if (packs.filter((name) => name.endsWith('.pack')).length >= manyPacks) {
    // The small ones become one, with what is loose; large ones stay as they are.
    await runGit(context, ['repack', '-d', '-l', '-q', '--geometric=2'], { accept: [0, 1, 128] });
    return;
  }
  // One of 256 folders serves as the sample for all, as git itself estimates.
  const sample = await readdir(join(commonDir, 'objects', '17')).catch(() => []);
  if (sample.length * 256 < manyLooseObjects) return;
  await runGit(context, ['repack', '-d', '-l', '-q'], { accept: [0, 1, 128] });
}
