import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createTasks, openTestStore, sampleSession, sampleTask } from '../store/sample.ts';
import { makeRandom } from '../support/random.ts';
import { hermeticEnv, makeRepo, makeTempDir, openRepo } from '../support/repo.ts';
import { program } from './bench-version.ts';
import { type BenchRow, type Figure, medianFigure } from './figures.ts';

const tasks = 500;
const processes = 8;
const rounds = 5;

/**
 * Processes that race for the same tasks, against as many that race for notes under a lock. Started beforehand: what
 * is measured is from the moment all are given the ids to the last answer.
 */
export async function benchClaims(): Promise<BenchRow[]> {
  const racers = [await claimers(), lockedNotes()] as const;
  return [...(await timeRaces(racers, false)), ...(await timeRaces(racers, true))];
}

async function timeRaces([ours, other]: readonly [Racers, Racers], isOwnOrder: boolean): Promise<BenchRow[]> {
  const mine: RaceResult[] = [];
  const theirs: RaceResult[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const pair = [await race(ours, isOwnOrder), await race(other, isOwnOrder)] as const;
    // The first round only warms up.
    if (round === 0) continue;
    mine.push(pair[0]);
    theirs.push(pair[1]);
  }
  const times = (results: readonly RaceResult[]) => medianFigure(results.map(({ figure }) => figure));
  const share = (pick: (won: readonly number[]) => number) =>
    medianFigure(mine.map(({ won }) => ({ wall_ms: pick(won), cpu_ms: null })));
  const what = `${processes} processes claim ${tasks} tasks, ${isOwnOrder ? 'own orders' : 'one order'}`;
  return [
    {
      what,
      against: '`flock`, `git notes append`',
      figures: { ours: times(mine), other: times(theirs) },
      target: { kind: 'ratio', most: 0.5 },
    },
    {
      what: 'the luckiest process',
      against: 'the unluckiest',
      figures: { ours: share((won) => Math.max(...won)), other: share((won) => Math.min(...won)) },
      unit: 'tasks',
      target: { kind: 'ratio', most: 3 },
    },
  ];
}

interface RaceResult {
  readonly figure: Figure;
  /** How many each process won; of ours alone. */
  readonly won: readonly number[];
}

interface Racers {
  readonly argv: readonly string[];
  /** Copied for each round. */
  readonly folder: string;
  /** Answered at once, so that all are known to be ready. */
  readonly first: string;
  readonly lines: readonly string[];
  /** Throws where something was lost or won twice. */
  readonly check: (folder: string) => void;
}

async function race({ argv, folder, first, lines, check }: Racers, isOwnOrder: boolean): Promise<RaceResult> {
  // Removed when all is over: for seconds afterwards ext4 passes over each inode that was freed, whoever makes files next.
  const copy = join(makeTempDir(), 'repo');
  cpSync(folder, copy, { recursive: true });
  const [command = '', ...args] = argv;
  const racers = Array.from({ length: processes }, () =>
    spawn(command, args, { cwd: copy, env: hermeticEnv, stdio: ['pipe', 'pipe', 'inherit'] }),
  );
  const won = racers.map(() => 0);
  await Promise.all(
    racers.map(async (racer, at) => {
      racer.stdin.write(`${first}\n`);
      await once(racer.stdout, 'data');
      createInterface({ input: racer.stdout }).on('line', (line) => {
        if (line.includes('\tclaimed')) won[at] = (won[at] ?? 0) + 1;
      });
    }),
  );
  const began = performance.now();
  const ends = racers.map(ending);
  for (const [at, racer] of racers.entries()) {
    const own = isOwnOrder ? makeRandom(at + 1).shuffle(lines) : lines;
    racer.stdin.end(`${own.join('\n')}\n`);
  }
  await Promise.all(ends);
  const wall_ms = performance.now() - began;
  check(copy);
  return { figure: { wall_ms, cpu_ms: null }, won };
}

async function ending(racer: ChildProcess): Promise<void> {
  const [code] = await once(racer, 'close');
  if (code !== 0) throw new Error(`a process ended with ${code}: nobody wants to know how fast that is`);
}

async function claimers(): Promise<Racers> {
  const repo = makeRepo();
  const store = await openTestStore(repo);
  const actor = 'Lea Lead <lea@example.com>';
  await store.transact(() => ({ actor, changes: [{ subject: 'session', session: sampleSession() }] }));
  await createTasks(
    store,
    ids().map((id) => sampleTask(id)),
  );
  await store.close();
  const argv = [program, 'task', 'claim', '--stdin'];
  const check = (folder: string): void => requireCount(folder, 'refs/blueflame/tasks', tasks + 1);
  return { argv, folder: repo.path, first: 'none', lines: ids(), check };
}

// A file says that a note was taken, which is quicker than asking git; looked at before the lock is waited for, and
// once more when it is held.
const script = `
take='test -e ".git/taken-$1" || { git notes --ref=bench append -F .git/body "$1" && : >".git/taken-$1"; }'
while read -r key; do
  test -e ".git/taken-$key" || flock .git/notes.lock sh -c "$take" take "$key" || exit 1
  echo "$key"
done
`;

function lockedNotes(): Racers {
  const repo = makeRepo();
  const lines = ids().map((id) => {
    repo.write('.git/anchor', id);
    return repo.git('hash-object', '-w', '.git/anchor');
  });
  repo.write('.git/taken-none', '');
  writeFileSync(join(repo.path, '.git/body'), JSON.stringify(sampleTask('task-1', { status: 'claimed' }), null, 2));
  const check = (folder: string): void => requireCount(folder, 'refs/notes/bench', tasks);
  return { argv: ['sh', '-c', script], folder: repo.path, first: 'none', lines, check };
}

function requireCount(folder: string, ref: string, count: number): void {
  const found = openRepo(folder).git('rev-list', '--count', ref);
  if (found !== `${count}`) throw new Error(`${found} commits on ${ref}, not ${count}`);
}

function ids(): string[] {
  return Array.from({ length: tasks }, (_, at) => `task-${String(at + 1).padStart(3, '0')}`);
}
