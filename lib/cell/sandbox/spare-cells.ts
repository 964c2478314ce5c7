import type { ChildProcess } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { holdChild } from '../../util/hold-child.ts';
import { shellQuote } from '../../util/shell-quote.ts';
import type { CellGroup, CellLimits, SandboxState, SpareCells, SpareCommand } from '../sandbox-state.ts';
import { gateDescriptor } from './cell-gate.ts';
import { spawnWithPipes } from './output-pipes.ts';

const most = 2;
const longestIdleMs = 10_000;

// It is told a file's name, for a shell reads what comes by a pipe byte by byte.
const waitScript = `echo >&${gateDescriptor}; IFS= read -r file <&${gateDescriptor} || exit 143; . "$file"`;

interface Waiting {
  readonly child: ChildProcess;
  readonly group: CellGroup;
  readonly ended: Promise<void>;
  readonly idle: NodeJS.Timeout;
  isReady: boolean;
}

/** Only bubblewrap's cells are begun early, and only where this program makes the control groups. */
export function keepSpareCells({ confinement, limits }: SandboxState, cell: CellLimits): SpareCells {
  const waiting = new Set<Waiting>();
  let isOver = confinement !== 'bubblewrap';
  const begin = (): void => {
    const group = limits.openGroup(cell);
    if (group === null || group.name === null) {
      isOver = true;
      return;
    }
    const child = spawnWaiting(group);
    const ended = new Promise<void>((resolve) => {
      child.once('error', () => resolve());
      child.once('exit', () => resolve());
    });
    const spare: Waiting = {
      ...{ child, group, ended, isReady: false },
      idle: setTimeout(() => void end(spare), longestIdleMs).unref(),
    };
    waiting.add(spare);
    holdChild(child, false);
    gateOf(child)?.once('data', () => {
      spare.isReady = true;
    });
    void ended.then(() => end(spare));
  };
  const end = async (spare: Waiting): Promise<void> => {
    if (!waiting.delete(spare)) return;
    clearTimeout(spare.idle);
    holdChild(spare.child, true);
    spare.child.kill('SIGKILL');
    await spare.ended;
    for (const pipe of spare.child.stdio) pipe?.destroy();
    await spare.group.close();
  };
  return {
    prepare() {
      if (isOver || waiting.size >= most) return;
      try {
        begin();
      } catch {
        // The cell itself will say what is wrong.
      }
    },
    take() {
      const spare = [...waiting].find(({ isReady }) => isReady);
      if (spare === undefined) return null;
      waiting.delete(spare);
      clearTimeout(spare.idle);
      const { child, group } = spare;
      holdChild(child, true);
      return { child, group, become: (command) => tell(child, command) };
    },
    close: async () => {
      isOver = true;
      await Promise.all([...waiting].map(end));
    },
  };
}

/** Throws, with the group closed, where no descriptor is left. */
function spawnWaiting(group: CellGroup): ChildProcess {
  try {
    return spawnWithPipes(group.enter(['/bin/sh', '-c', waitScript]), {
      ...{ input: 'pipe', others: ['pipe', 'pipe', 'pipe'] },
      ...{ cwd: '/', env: {}, detached: true },
    });
  } catch (error) {
    void group.close();
    throw error;
  }
}

function tell(child: ChildProcess, { argv, env, hasInput, folder }: SpareCommand): void {
  const file = join(folder, 'begin.sh');
  const lines = [
    ...Object.entries(env).map(([name, value]) => `export ${name}=${shellQuote(value)}`),
    ...(hasInput ? [] : ['exec </dev/null']),
    `exec ${argv.map(shellQuote).join(' ')}`,
  ];
  writeFileSync(file, `${lines.join('\n')}\n`, { mode: 0o600 });
  gateOf(child)?.write(`${file}\n`);
}

function gateOf(child: ChildProcess): Duplex | null {
  return (child.stdio.at(gateDescriptor) ?? null) as Duplex | null;
}
