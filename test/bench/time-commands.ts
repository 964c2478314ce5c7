import { spawn } from 'node:child_process';
import { type Figure, medianFigure } from './figures.ts';

/** A command line to time. */
export interface TimedCommand {
  readonly argv: readonly string[];
  /** A function is called before each round, for commands that need a fresh folder. */
  readonly cwd: string | (() => string);
  readonly env: Readonly<Record<string, string>>;
  /** File given as standard input. */
  readonly stdin?: string;
  /** How many run at once; they count as one run. Default: 1. */
  readonly width?: number;
  /** Runs per round, for commands that take few milliseconds. Default: 1. */
  readonly repeat?: number;
}

/**
 * Times whole processes, the commands taking turns so that a busy machine is busy for all of them. The first
 * round only warms up. Returns each command's median. Throws if one fails: nobody wants to know how fast that is.
 */
export async function timeCommands<Name extends string>(
  commands: Readonly<Record<Name, TimedCommand>>,
  rounds: number,
): Promise<Readonly<Record<Name, Figure>>> {
  const names = Object.keys(commands) as Name[];
  const runs = new Map<Name, Figure[]>(names.map((name) => [name, []]));
  for (let round = 0; round <= rounds; round += 1) {
    for (const name of names) {
      const figure = await timeOnce(commands[name]);
      if (round > 0) runs.get(name)?.push(figure);
    }
  }
  const medians = names.map((name) => [name, medianFigure(runs.get(name) ?? [])] as const);
  return Object.fromEntries(medians) as Record<Name, Figure>;
}

// A shell starts processes with less ado than node, and knows what its children used.
const script = `
width=$1 repeat=$2 input=$3 failed=0; shift 3
began=$EPOCHREALTIME
for ((round = 0; round < repeat; round++)); do
  if ((width == 1)); then "$@" <"$input" >/dev/null 2>&1 || failed=$?
  else
    pids=()
    for ((at = 0; at < width; at++)); do "$@" <"$input" >/dev/null 2>&1 & pids+=($!); done
    for pid in "\${pids[@]}"; do wait "$pid" || failed=$?; done
  fi
done
ended=$EPOCHREALTIME
echo "$began $ended $failed"
times
`;

// Never spawnSync: a decision server in this process may have to answer.
async function timeOnce(command: TimedCommand): Promise<Figure> {
  const { argv, cwd, env, stdin = '/dev/null', width = 1, repeat = 1 } = command;
  const args = ['--norc', '--noprofile', '-c', script, 'bench', String(width), String(repeat), stdin, ...argv];
  const child = spawn('bash', args, {
    cwd: typeof cwd === 'string' ? cwd : cwd(),
    env: { ...env, LC_ALL: 'C' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  await new Promise((resolve, reject) => child.on('close', resolve).on('error', reject));
  const [line = '', , children = ''] = output.split('\n');
  const [began = 0, ended = Number.NaN, failed] = line.split(' ').map(Number);
  if (Number.isNaN(ended) || failed !== 0) throw new Error(`${argv.join(' ')} failed (${failed ?? line})`);
  return { wall_ms: ((ended - began) * 1_000) / repeat, cpu_ms: parseTimes(children) / repeat };
}

/** `0m1.250s 0m0.017s` as milliseconds in all. */
function parseTimes(text: string): number {
  return [...text.matchAll(/(\d+)m([\d.]+)s/g)].reduce(
    (sum, [, minutes, seconds]) => sum + Number(minutes) * 60_000 + Number(seconds) * 1_000,
    0,
  );
}
