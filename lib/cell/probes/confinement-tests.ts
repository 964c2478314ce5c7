import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomName } from '../../util/short-names.ts';
import { type ListeningServer, listenOn } from '../gateway/listen-on.ts';
import { listProcessCommandLines } from '../process-table.ts';
import { makeRunFolder } from '../run-folder.ts';
import type { CellLimits, RunnerContext } from '../runner-context.ts';
import { runProbeCell, testInheritedDescriptors, withRunFolder } from './probe-cell.ts';

/** The forbidden things a cell could do; judged by their effects outside, not by its output. */
export interface ConfinementTestResult {
  /** Whether the program ran at all and could work where it should. */
  readonly works: boolean;
  /** One sentence each; empty: it is confined. */
  readonly escapes: readonly string[];
}

/** Starts cells that try to write outside, to connect, to remount, to stay and to keep what was left open. */
export async function testConfinement(context: RunnerContext): Promise<ConfinementTestResult> {
  const name = randomName('probe');
  const outside = realpathSync(mkdtempSync(join(tmpdir(), 'flame-probe-')));
  const folder = makeRunFolder(context.repository.commonDir, name);
  const targets = [
    join(outside, 'file'),
    join(context.repository.commonDir, name),
    join(context.repository.mainWorkTree ?? outside, `.${name}`),
  ];
  const host = await listenOutside(outside, name);
  try {
    const ran = await runProbeCell(context, {
      name,
      folder,
      programs: [process.execPath],
      argv: ['/bin/sh', '-c', script, name, process.execPath, connectTo(host, outside, name), ...targets],
    });
    const leak = await testInheritedDescriptors(context);
    // Cut short it would prove nothing.
    const works = /worked.*tried/s.test(ran.output) && existsSync(join(folder.home, 'inside'));
    const written = targets.filter((path) => existsSync(path));
    return {
      works,
      escapes: [
        ...written.map((path) => `It wrote ${path}.`),
        ...host.heard().map((what) => `It connected to ${what} of this machine.`),
        ...(leak === null ? [] : [`It inherited an open file from outside: ${leak}.`]),
        ...(ran.output.includes('remounted') ? ['It made / writable.'] : []),
        ...(ran.output.includes('settable') ? ['It could change settings of the kernel.'] : []),
        ...(listProcessCommandLines().some((line) => line.includes(name))
          ? ['A process it started is still running.']
          : []),
      ],
    };
  } finally {
    await host.close();
    await folder.remove();
    for (const path of [...targets, outside]) rmSync(path, { recursive: true, force: true });
  }
}

// $0 names the process that stays, $1 is node, $2 what it runs, the rest are files outside. Only where / is
// read-only already is there anything to remount.
const script = [
  'node=$1 connect=$2; shift 2; echo x > inside && echo worked',
  'for file; do echo x > "$file"; done 2>/dev/null',
  'touch /usr/.flame-probe 2>/dev/null && rm -f /usr/.flame-probe || { mount -o remount,rw / && echo remounted; } 2>/dev/null',
  // Opened and not written: it holds for the whole machine. In a subshell, since `:` ends dash where that fails.
  '( : >> /proc/sys/kernel/core_pattern ) 2>/dev/null && echo settable',
  `env -i /usr/bin/setsid /bin/sh -c 'sleep 30; exit' "$0" >/dev/null 2>&1 &`,
  '"$node" -e "$connect" && echo tried',
].join('\n');

interface Host {
  readonly port: number;
  /** Lists the targets that were connected to. */
  heard(): readonly string[];
  close(): Promise<void>;
}

async function listenOutside(folder: string, name: string): Promise<Host> {
  const heard = new Set<string>();
  const open = (what: string, path: string | null): Promise<ListeningServer> =>
    listenOn(
      hearing(() => heard.add(what)),
      path,
    );
  mkdirSync(folder, { recursive: true });
  const [tcp, unix] = [await open('a port', null), await open('a socket', join(folder, 'sock'))];
  const abstract =
    process.platform === 'linux' ? await listenAbstract(name, () => heard.add('a nameless socket')) : null;
  return {
    port: tcp.port,
    heard: () => [...heard],
    close: async () => {
      await Promise.all([tcp.close(), unix.close()]);
      abstract?.close();
    },
  };
}

function hearing(hear: () => void): Server {
  return createServer((socket) => {
    hear();
    socket.destroy();
  });
}

/** A socket whose name is in no file system: a name that begins with a zero. */
function listenAbstract(name: string, hear: () => void): Promise<Server | null> {
  const server = hearing(hear);
  return new Promise((resolve) => {
    server.on('error', () => resolve(null));
    server.listen(`\0${name}`, () => resolve(server));
  });
}

function connectTo(host: Host, folder: string, name: string): string {
  const places = [{ port: host.port, host: '127.0.0.1' }, { path: join(folder, 'sock') }, { path: `\0${name}` }];
  return `for (const place of ${JSON.stringify(places)}) require('net').connect(place).on('error', () => {})`;
}

const small: CellLimits = {
  cpuSeconds: 10,
  memoryMb: 96,
  fileSizeMb: 10,
  diskMb: 1_000,
  openFiles: 256,
  processes: 64,
};

// tail keeps what it can't write yet; no process alone is over the limit.
const manyHold = 'for i in 1 2 3 4; do head -c 40000000 /dev/zero | tail -c 40000000 | sleep 5 & done; wait';
const manyCount = 'for i in 1 2 3 4; do while :; do :; done & done; wait';
const manySleep = 'i=0; while [ $i -lt 120 ]; do sleep 5 & i=$((i+1)); done; wait';

/** Goes over each limit in a real cell, with several small processes and within seconds: whether it was stopped. */
export async function testCellLimits(
  context: RunnerContext,
): Promise<Readonly<Record<'memory' | 'cpu' | 'processes', boolean>>> {
  const [memory, cpu, processes] = await Promise.all([
    run(context, manyHold, small),
    run(context, manyCount, { ...small, cpuSeconds: 2 }),
    run(context, manySleep, small),
  ]);
  return {
    memory: memory.limit === 'memory',
    cpu: cpu.limit === 'cpu',
    // Where the kernel refuses by the user's own count, the shell's message is the only sign.
    processes: processes.limit === 'processes' || /fork/i.test(processes.output),
  };
}

function run(context: RunnerContext, line: string, limits: CellLimits): ReturnType<typeof runProbeCell> {
  return withRunFolder(context, 'probe', (name, folder) =>
    runProbeCell(context, { name, folder, limits, argv: ['/bin/sh', '-c', line] }),
  );
}
