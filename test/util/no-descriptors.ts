// Does what starts programs where no descriptor is left for their pipes, and once more where there are some again. Says
// what came of it, a line each. Run it with few: `ulimit -n 100`.
import { closeSync, openSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { keepSpareCells } from '../../lib/cell/sandbox/spare-cells.ts';
import type { CellLimits, SandboxState } from '../../lib/cell/sandbox-state.ts';
import type { ObjectId } from '../../lib/domain/ids.ts';
import { CatFile } from '../../lib/git/process/cat-file.ts';
import { runGit } from '../../lib/git/process/run-git.ts';

const [, , commonDir = '', commit = ''] = process.argv;
const context = { cwd: commonDir, env: process.env };
const catFile = new CatFile(context, commonDir);
let groups = 0;
const limits = {
  openGroup: () => {
    groups += 1;
    return {
      ...{ name: 'a group', enter: (argv: readonly string[]) => argv },
      close: async () => {
        groups -= 1;
      },
    };
  },
};
const sandbox = { confinement: 'bubblewrap', limits } as unknown as SandboxState;
const spares = keepSpareCells(sandbox, {} as CellLimits);

const attempt = async (): Promise<void> => {
  spares.prepare();
  const read = await catFile.read(commit as ObjectId).then((found) => found?.type, codeOf);
  const told = await runGit(context, ['rev-parse', 'HEAD']).then(({ exitCode }) => exitCode, codeOf);
  // What node tells by an event comes after that.
  await sleep(50);
  process.stdout.write(`${read} ${told} ${groups}\n`);
};

const taken: number[] = [];
try {
  for (;;) taken.push(openSync('/dev/null', 'r'));
} catch {
  await attempt();
}
for (const descriptor of taken) closeSync(descriptor);
await attempt();
await spares.close();
await catFile.close();
process.stdout.write(`${groups} left\n`);

function codeOf(error: { readonly code?: unknown }): string {
  return String(error.code);
}
