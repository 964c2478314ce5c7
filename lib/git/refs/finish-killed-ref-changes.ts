import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { killPoint } from '../../util/kill-point.ts';
import { withLock } from '../../util/owned-lock.ts';
import { processState, readProcessStart } from '../../util/process-identity.ts';
import { readTextOrEmpty } from '../../util/read-file.ts';
import { type GitContext, runGit, runGitForText } from '../process/run-git.ts';
import { findGitProcesses } from './find-git-processes.ts';
import { finishWorktreeUpdate, type JournaledRefChange, journaledRefChangeSchema } from './journaled-ref-change.ts';
import { journalFilePattern, refChangeJournalFolder } from './ref-change-journal.ts';
import { findReftableLock } from './reftable.ts';

/** How long a git that outlived its tool may still work, in milliseconds. */
const patienceMs = 20_000;
// A time stamp of a file may be a tick of the kernel's clock behind.
const stampMs = 50;
const settleMs = 200;

/**
 * Finishes what gits of processes that are gone had begun: lock files they left are removed, and refs they
 * had moved in part are all moved. Only what a note records is touched; a git that is still at work is waited
 * for. Harmless at any time, and when repeated. Returns what it removed or moved, for people.
 */
export async function finishKilledRefChanges(context: GitContext, commonDir: string): Promise<readonly string[]> {
  if (listMotions(commonDir).length === 0) return [];
  const retries = { retries: 200, factor: 1, minTimeout: 50, maxTimeout: 200 };
  const path = join(refChangeJournalFolder(commonDir), 'motions.lock');
  return withLock(path, { staleMs: 10_000, retries }, () => finishAll({ context, commonDir }));
}

function listMotions(commonDir: string): readonly string[] {
  const folder = refChangeJournalFolder(commonDir);
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => journalFilePattern.test(name)) : [];
  return names.map((name) => join(folder, name)).filter((file) => readMotion(file) !== 'working');
}

async function finishAll({ context, commonDir }: Place): Promise<readonly string[]> {
  const done: string[] = [];
  for (const file of listMotions(commonDir)) {
    const noted = readMotion(file);
    if (noted !== null && noted !== 'working') {
      await untilGone(commonDir, noted.motion);
      done.push(...(await finishOneKilledRefChange({ context, commonDir }, noted.motion, noted.at)));
    }
    killPoint('motion finished');
    rmSync(file, { force: true });
  }
  return done;
}

interface Noted {
  readonly motion: JournaledRefChange;
  /** When it was begun, in milliseconds since 1970. */
  readonly at: number;
}

interface Place {
  readonly context: GitContext;
  readonly commonDir: string;
}

/** 'working': its process lives, or nothing can be known of it. null: there is nothing to finish. */
function readMotion(file: string): Noted | 'working' | null {
  try {
    const text = readFileSync(file, 'utf8');
    const pid = Number(/motion-(\d+)-/.exec(file)?.[1]);
    if (text === '') return readProcessStart(pid) === null ? null : 'working';
    const parsed = journaledRefChangeSchema.safeParse(JSON.parse(text));
    if (!parsed.success) return null;
    if (processState(parsed.data.owner) !== 'gone') return 'working';
    return { motion: parsed.data, at: statSync(file).mtimeMs };
  } catch {
    return null;
  }
}

/** Finishes one motion whose git is gone; `at`: when it was begun, in milliseconds since 1970. */
export async function finishOneKilledRefChange(
  place: { readonly context: GitContext; readonly commonDir: string },
  motion: Pick<JournaledRefChange, 'moves' | 'locks'> & Partial<Pick<JournaledRefChange, 'advance'>>,
  at: number,
): Promise<readonly string[]> {
  const removed = await removeLocks(place, motion, at);
  const moved = await completeRefMoves(place, motion);
  const { advance = null } = motion;
  const isAdvanced = advance !== null && (await finishWorktreeUpdate(place.context.env, advance));
  return [...removed, ...moved, ...(isAdvanced ? [advance.workTree] : [])];
}

async function untilGone(commonDir: string, { git }: JournaledRefChange): Promise<void> {
  const until = performance.now() + patienceMs;
  const isAtWork = (): boolean => (git === null ? findGitProcesses(foldersOf(commonDir)).length > 0 : isAlive(git));
  while (isAtWork() && performance.now() < until) await wait(20);
}

function isAlive({ pid, start }: NonNullable<JournaledRefChange['git']>): boolean {
  return start !== null && readProcessStart(pid) === start;
}

async function removeLocks(
  { commonDir }: Place,
  { moves, locks }: Pick<JournaledRefChange, 'moves' | 'locks'>,
  at: number,
): Promise<readonly string[]> {
  const table = moves.length > 0 ? findReftableLock(commonDir) : null;
  const files = [
    ...(table === null ? [] : [{ file: table, content: null }]),
    ...moves.map((move) => ({ file: join(commonDir, `${move.ref}.lock`), content: move.new })),
    // A branch that is checked out takes HEAD's along, a deletion the one of all packed refs.
    ...(moves.length > 0 ? [{ file: join(commonDir, 'HEAD.lock'), content: null }] : []),
    ...(moves.some((move) => move.new === null) ? [{ file: join(commonDir, 'packed-refs.lock'), content: null }] : []),
    ...locks.map((file) => ({ file, content: null })),
  ];
  const removed: string[] = [];
  for (const { file, content } of files) {
    if (!(await isLeft({ commonDir, file, content, at }))) continue;
    rmSync(file, { force: true });
    removed.push(file);
  }
  return removed;
}

interface LockFile {
  readonly commonDir: string;
  readonly file: string;
  /** The content our git wrote into it; null: nothing that would identify it. */
  readonly content: string | null;
  readonly at: number;
}

/** Whether a dead git of ours left a lock file: its content shows it, or no other git is at work here. */
async function isLeft({ commonDir, file, content, at }: LockFile): Promise<boolean> {
  const before = statSync(file, { throwIfNoEntry: false });
  if (before === undefined || before.mtimeMs < at - stampMs) return false;
  if (content !== null && readFileSync(file, 'utf8').trim() === content) return true;
  // Another flame's git holds one for an instant.
  await wait(settleMs);
  const after = statSync(file, { throwIfNoEntry: false });
  return after?.ino === before.ino && findGitProcesses(foldersOf(commonDir)).length === 0;
}

/** Where the gits of a repository work: its git folder and its work trees. */
function foldersOf(commonDir: string): readonly string[] {
  const linked = join(commonDir, 'worktrees');
  const names = existsSync(linked) ? readdirSync(linked) : [];
  const trees = names.map((name) => dirname(readTextOrEmpty(join(linked, name, 'gitdir')).trim()));
  return [commonDir, ...(basename(commonDir) === '.git' ? [dirname(commonDir)] : []), ...trees];
}

/** Moves the other refs once some have moved: git had locked and checked every one then. Returns which. */
async function completeRefMoves(
  { context, commonDir }: Place,
  { moves }: Pick<JournaledRefChange, 'moves'>,
): Promise<readonly string[]> {
  const git = { ...context, cwd: commonDir };
  const isAt = await Promise.all(moves.map(async (move) => ({ move, now: await readRef(git, move.ref) })));
  const hasMoved = isAt.some(({ move, now }) => move.old !== move.new && now === move.new);
  const rest = isAt.filter(({ move, now }) => move.old !== move.new && now === move.old);
  if (!hasMoved || rest.length === 0) return [];
  const lines = rest.map(({ move: { ref, old, new: to } }) => {
    const zero = '0'.repeat((to ?? old ?? '').length);
    return to === null ? `delete ${ref} ${old ?? zero}` : `update ${ref} ${to} ${old ?? zero}`;
  });
  const input = `${['start', ...lines, 'prepare', 'commit'].join('\n')}\n`;
  await runGit(git, [`--git-dir=${commonDir}`, 'update-ref', '-m', 'git flame', '--stdin'], { input });
  return rest.map(({ move }) => move.ref);
}

async function readRef(context: GitContext, ref: string): Promise<string | null> {
  const found = await runGitForText(context, [
    `--git-dir=${context.cwd}`,
    'for-each-ref',
    '--format=%(refname) %(objectname)',
    ref,
  ]);
  const line = found.split('\n').find((one) => one.startsWith(`${ref} `));
  return line?.slice(ref.length + 1) ?? null;
}
