// Does what starts programs where no descriptor is left for their pipes, and once more where there are some again. Says
// what came of it, a line each. Run it with few: `ulimit -n 100`.
import { closeSync, openSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { CellLimits, SandboxCapabilities } from '../../lib/cell/runner-context.ts';
import type { CellProfile } from '../../lib/cell/sandbox/bwrap-profile.ts';
import { spawnCell } from '../../lib/cell/sandbox/spawn-cell.ts';
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
      ...{ enter: (argv: readonly string[]) => argv, entered: () => undefined },
      usage: () => ({ cpuSeconds: 0, memoryKills: 0, refusedForks: 0 }),
      close: async () => {
        groups -= 1;
      },
    };
  },
};
const cell = {
  sandbox: { confinement: 'watched', limits } as unknown as SandboxCapabilities,
  profile: {
    ...{ workingDirectory: '/', env: {}, isInteractive: false, mayTrace: true, writable: [], overlays: [] },
  } as unknown as CellProfile,
  limits: {
    ...{ cpuSeconds: 10, memoryMb: 1_000, fileSizeMb: 10, diskMb: 1_000, openFiles: 256, processes: 64 },
  } satisfies CellLimits,
  ...{ argv: ['true'], stdin: null, mark: `no-descriptors-${process.pid}`, opensOutput: true },
  ...{ onStdout: () => undefined, onStderr: () => undefined },
};

const attempt = async (): Promise<void> => {
  const { startError } = await spawnCell(cell).ended;
  const read = await catFile.read(commit as ObjectId).then((found) => found?.type, codeOf);
  const told = await runGit(context, ['rev-parse', 'HEAD']).then(({ exitCode }) => exitCode, codeOf);
  // node emits the error of a child at the end of this turn of its loop.
  await nextTurn();
  process.stdout.write(`${read} ${told} ${groups} ${startError ?? 'started'}\n`);
};

const taken: number[] = [];
try {
  for (;;) taken.push(openSync('/dev/null', 'r'));
} catch {
  await attempt();
}
for (const descriptor of taken) closeSync(descriptor);
await attempt();
await catFile.close();
process.stdout.write(`${groups} left\n`);

function codeOf(error: { readonly code?: unknown }): string {
  return String(error.code);
}
