import { join } from 'node:path';
import { packageRoot } from '../../lib/util/user-folders.ts';
import { hermeticEnv } from '../support/repo.ts';
import type { BenchRow } from './figures.ts';
import { type TimedCommand, timeCommands } from './time-commands.ts';

/** The program as installed. */
export const program = join(packageRoot(), 'bin', 'git-flame');
export const nodeAlone: TimedCommand = { argv: ['node', '-e', '0'], cwd: '/', env: hermeticEnv };

/** Starting the program, against starting node. */
export async function benchVersion(): Promise<BenchRow[]> {
  const ours = { argv: [program, '--version'], cwd: '/', env: hermeticEnv };
  const { version, node } = await timeCommands({ version: ours, node: nodeAlone }, 31);
  return [
    {
      what: '`git flame --version`',
      against: '`node -e 0`',
      figures: { ours: version, other: node },
      target: { kind: 'ratio', most: 1.25 },
    },
  ];
}
