import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { packageRoot } from '../../lib/util/user-folders.ts';
import { flame } from './flame.ts';
import { buildVictim, type Victim } from './kill-victims.ts';
import { makeTempDir, openRepo, type TestRepo } from './repo.ts';
import { trusted } from './trusted.ts';

/** One run of the program as a process of its own. */
export interface ProcessRun {
  readonly code: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Arguments of a run from its beginning to its end. */
export const freshRun = ['run', 'Count', '--from', '.git/plan.yml', '--decisions-file', '.git/decisions.yml'];

const templates = new Map<Victim, TestRepo>();

/** A project that was never run, in a folder of its own with a temporary folder beside it. */
export function makeVictim(kind: Victim = 'plain'): TestRepo {
  const template = templates.get(kind) ?? buildVictim(kind);
  templates.set(kind, template);
  const path = join(makeTempDir('flame-killed'), 'repo');
  cpSync(template.path, path, { recursive: true });
  mkdirSync(join(dirname(path), 'tmp'));
  return trusted(openRepo(path));
}

/** Starts the program; `env` may hold FLAME_TEST_KILL_AT. */
export function start(
  repo: TestRepo,
  argv: readonly string[] = freshRun,
  env: Readonly<Record<string, string>> = {},
): ProcessRun {
  const run = spawnSync(process.execPath, [join(packageRoot(), 'bin', 'git-flame'), ...argv], {
    cwd: repo.path,
    env: { ...repo.env, TMPDIR: join(dirname(repo.path), 'tmp'), ...env },
    encoding: 'utf8',
    timeout: 60_000,
    killSignal: 'SIGKILL',
  });
  return { code: run.status, signal: run.signal, stdout: run.stdout, stderr: run.stderr };
}

/** The same in this process, for what is not to be killed: a third of the cost. */
export async function startHere(repo: TestRepo, argv: readonly string[]): Promise<ProcessRun> {
  const before = process.env.TMPDIR;
  process.env.TMPDIR = join(dirname(repo.path), 'tmp');
  mkdirSync(process.env.TMPDIR, { recursive: true });
  try {
    return { ...(await flame(repo, argv)), signal: null };
  } finally {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
  }
}

/** Starts it again as a person would who doesn't know how far it came; with `env`, as a process of its own. */
export async function startAgain(repo: TestRepo, env?: Readonly<Record<string, string>>): Promise<ProcessRun> {
  const { session } = JSON.parse((await startHere(repo, ['status', '--json'])).stdout);
  const argv =
    session === null || session.wave === 'plan' ? freshRun : ['resume', '--decisions-file', '.git/decisions.yml'];
  return env === undefined ? startHere(repo, argv) : start(repo, argv, env);
}

/** A whole run, and the names of the moments it passed at which it could be killed. */
export function listKillPoints(repo: TestRepo): readonly string[] {
  const log = join(dirname(repo.path), 'points');
  const run = start(repo, freshRun, { FLAME_TEST_KILL_LOG: log });
  if (run.code !== 0) throw new Error(`the undisturbed run ended with ${run.code}: ${run.stderr}`);
  return readFileSync(log, 'utf8').trim().split('\n');
}

/** How many moments a sample has: more of them by `npm run test:all`. */
export function sampleOf(few: number, more: number): number {
  return process.env.FLAME_TEST_ALL === '1' ? more : few;
}

/** As many of them as that, evenly from the first to the last. */
export function spread<T>(all: readonly T[], count: number): readonly T[] {
  const step = Math.max(1, (all.length - 1) / (count - 1));
  return all.filter((_, at) => Math.floor(at / step) !== Math.floor((at - 1) / step) || at === all.length - 1);
}

/** Which of the points to kill at: what FLAME_KILL names (`all`, or `17,18`), else a sample. */
export function choosePoints(
  points: readonly string[],
  sample: (all: readonly number[]) => readonly number[],
): readonly number[] {
  const asked = process.env.FLAME_KILL ?? '';
  const all = points.map((_, index) => index + 1);
  if (asked === 'all') return all;
  return /^\d+(?:,\d+)*$/.test(asked) ? asked.split(',').map(Number) : sample(all);
}

/** What a run comes to, without what differs from run to run: names of agents, times, commit ids. */
export async function endState(repo: TestRepo): Promise<Readonly<Record<string, unknown>>> {
  const status = JSON.parse((await startHere(repo, ['status', '--json'])).stdout);
  const subjects = repo.git('log', '--format=%s', 'refs/blueflame/tasks').split('\n');
  return {
    session: status.session?.state,
    cycle: status.session?.cycle,
    tasks: status.tasks.map(({ id, status: state, retry_count }: Record<string, unknown>) => ({
      ...{ id, state, retry_count },
      done: subjects.filter((line) => line.startsWith(`${id}: claimed -> done`)).length,
      merged: subjects.filter((line) => line.startsWith(`${id}: done -> merged`)).length,
    })),
    changesets: status.changesets.map(({ id, state }: Record<string, unknown>) => ({ id, state })),
    landed: repo.git('log', '--first-parent', '--format=%s', 'main'),
    tree: repo.git('rev-parse', 'main^{tree}'),
    verdicts: repo.git('log', '--format=%s', 'refs/blueflame/validations').split('\n').length,
    reviews: repo.git('log', '--format=%s', 'refs/blueflame/reviews').split('\n').length,
    refs: repo
      .git('for-each-ref', '--format=%(refname)')
      .split('\n')
      .filter((ref) => !ref.startsWith('refs/blueflame/rescue/'))
      .map((ref) => ref.replace(/ses-\d+-\d+-[0-9a-f]+/, 'SESSION')),
    checkout: repo.git('status', '--porcelain'),
    sessions: repo.git('ls-tree', '--name-only', 'refs/blueflame/sessions:anchors').split('\n').length,
  };
}

/** Everything that must not be there when nothing runs; empty if all is well. */
export function findRemains(repo: TestRepo): readonly string[] {
  const git = join(repo.path, '.git');
  const folders = ['run', 'objects', 'cells', 'locks'].flatMap((name) =>
    list(join(git, 'blueflame', name)).map((entry) => `blueflame/${name}/${entry}`),
  );
  const temporary = [...walk(git)].filter((path) =>
    /\.lock$|\.new$|\.gone$|\.flame-|tmp_obj|tmp_pack|export-.*index|\/alternates$/.test(path),
  );
  const trees = repo.git('worktree', 'list').split('\n').slice(1);
  return [
    ...folders,
    ...temporary,
    ...trees,
    ...list(`${repo.path}.trees`).map((name) => `.trees/${name}`),
    ...list(join(dirname(repo.path), 'tmp')).map((name) => `tmp/${name}`),
    ...processesIn(dirname(repo.path)),
  ];
}

/** What git finds wrong; '' if nothing. */
export function findDamage(repo: TestRepo): string {
  const run = spawnSync('git', ['fsck', '--strict', '--full', '--no-dangling'], {
    cwd: repo.path,
    env: repo.env,
    encoding: 'utf8',
  });
  return run.status === 0 && run.stderr === '' ? '' : `${run.stdout}${run.stderr}`;
}

/** Landed is recorded and recorded is landed: the tip of the base and the newest review name the same commit. */
export function findTornLanding(repo: TestRepo): string {
  const tip = repo.git('rev-parse', 'main');
  const reviews = list(join(repo.path, '.git/refs/blueflame')).includes('reviews')
    ? repo
        .git('ls-tree', '-r', '--name-only', 'refs/blueflame/reviews')
        .split('\n')
        .map((path) => path.replaceAll('/', ''))
    : [];
  const landed = repo
    .git('log', '--first-parent', '--format=%H %s', 'main')
    .split('\n')
    .filter((line) => / (?:one|two|three): /.test(line))
    .map((line) => line.slice(0, line.indexOf(' ')));
  return [...reviews].sort().join() === [...landed].sort().join()
    ? ''
    : `${tip}: landed ${landed}, recorded ${reviews}`;
}

/** Processes that work below a folder; those that are just ending are given `patienceMs`. */
export function processesIn(folder: string, patienceMs = 5_000): readonly string[] {
  const until = Date.now() + patienceMs;
  for (;;) {
    const found = list('/proc').filter((pid) => /^\d+$/.test(pid) && isIn(pid, folder));
    if (found.length === 0 || Date.now() >= until) return found.map((pid) => `process ${pid} ${commandOf(pid)}`);
    // Those that are ending need the processor more than this loop does.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
  }
}

function isIn(pid: string, folder: string): boolean {
  if (Number(pid) === process.pid) return false;
  try {
    return `${readlinkSync(`/proc/${pid}/cwd`)}/`.startsWith(`${folder}/`) && commandOf(pid) !== '';
  } catch {
    return false;
  }
}

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
  } catch {
    return '';
  }
}

function list(folder: string): readonly string[] {
  return existsSync(folder) ? readdirSync(realpathSync(folder)) : [];
}

function* walk(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    yield path;
    if (entry.isDirectory()) yield* walk(path);
  }
}
