import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createTasks, openTestStore, sampleSession, sampleTask } from '../store/sample.ts';
import { hermeticEnv, makeRepo, makeTempDir, openRepo } from '../support/repo.ts';
import { program } from './bench-version.ts';
import { type BenchRow, medianFigure } from './figures.ts';

const tasks = 500;
const processes = 8;
const rounds = 5;

/**
 * Processes that race for the same tasks, against as many that race for notes under a lock. Started beforehand: what
 * is measured is from the moment all are given the ids to the last answer.
 */
export async function benchClaims(): Promise<BenchRow[]> {
  const [ours, other] = [await claimers(), lockedNotes()];
  const times: { readonly ours: number[]; readonly other: number[] } = { ours: [], other: [] };
  for (let round = 0; round <= rounds; round += 1) {
    const pair = [await race(ours), await race(other)] as const;
    // The first round only warms up.
    if (round === 0) continue;
    times.ours.push(pair[0]);
    times.other.push(pair[1]);
  }
  const figure = (ms: readonly number[]) => medianFigure(ms.map((wall_ms) => ({ wall_ms, cpu_ms: null })));
  return [
    {
      what: `${processes} × \`task claim --stdin\` racing for ${tasks} tasks`,
      against: `${processes} × \`flock\` and \`git notes append\`, racing likewise`,
      figures: { ours: figure(times.ours), other: figure(times.other) },
      target: { kind: 'ratio', most: 0.5 },
    },
  ];
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

async function race({ argv, folder, first, lines, check }: Racers): Promise<number> {
  const copy = join(makeTempDir(), 'repo');
  cpSync(folder, copy, { recursive: true });
  const [command = '', ...args] = argv;
  const racers = Array.from({ length: processes }, () =>
    spawn(command, args, { cwd: copy, env: hermeticEnv, stdio: ['pipe', 'pipe', 'inherit'] }),
  );
  await Promise.all(
    racers.map(async (racer) => {
      racer.stdin.write(`${first}\n`);
      await once(racer.stdout, 'data');
      racer.stdout.resume();
    }),
  );
  const began = performance.now();
  const ends = racers.map(ending);
  for (const racer of racers) racer.stdin.end(`${lines.join('\n')}\n`);
  await Promise.all(ends);
  const took = performance.now() - began;
  check(copy);
  rmSync(dirname(copy), { recursive: true });
  return took;
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
  writeFileSync(
    join(repo.path, '.git/body'),
    JSON.stringify(sampleTask('task-1', { status: 'claimed' }), null, 2),
  );
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
