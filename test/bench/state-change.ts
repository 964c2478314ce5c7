import { execFileSync } from 'node:child_process';
import { createTasks, openTestStore, sampleTask, setStatus } from '../store/sample.ts';
import { makeRepo, type TestRepo } from '../support/repo.ts';

export interface StateChangeFigure {
  readonly n: number;
  /** Medians of one state change, ms. */
  readonly ours_ms: number;
  readonly notes_add_ms: number;
}

/** One task's state change among 100, 1,000 and 10,000 tasks, against `git notes add` among as many notes. */
export async function benchStateChange(): Promise<StateChangeFigure[]> {
  const figures = [];
  for (const n of [100, 1_000, 10_000]) {
    figures.push({ n, ours_ms: await medianOfOurs(n), notes_add_ms: medianOfNotesAdd(n) });
  }
  return figures;
}

const rounds = 31;

async function medianOfOurs(n: number): Promise<number> {
  const repo = makeRepo();
  const store = await openTestStore(repo);
  const ids = idsUpTo(n);
  await createTasks(
    store,
    ids.map((id) => sampleTask(id)),
  );
  // The first change starts git and asks for the identity; the next ones are compiled. A run does that once.
  for (let round = 0; round < 10; round += 1) await setStatus(store, ids[0] ?? '', 'claimed');
  const times = [];
  for (let round = 0; round < rounds; round += 1) {
    const began = performance.now();
    await setStatus(store, ids[(round * 37) % n] ?? '', round % 2 === 0 ? 'claimed' : 'pending');
    times.push(performance.now() - began);
  }
  await store.close();
  repo.remove();
  return median(times);
}

function medianOfNotesAdd(n: number): number {
  const repo = makeRepo();
  const keys = fillNotes(repo, n);
  const body = JSON.stringify(sampleTask('task-1', { status: 'claimed' }), null, 2);
  const times = [];
  for (let round = 0; round < rounds; round += 1) {
    const key = keys[(round * 37) % n] ?? '';
    const began = performance.now();
    repo.git('notes', '--ref=bench', 'add', '-f', '-m', `${body}\n${round}`, key);
    times.push(performance.now() - began);
  }
  repo.remove();
  return median(times);
}

/** The same tasks as notes of stock git, made in one go. Returns their keys. */
function fillNotes(repo: TestRepo, n: number): string[] {
  const options = { cwd: repo.path, env: repo.env, encoding: 'utf8' as const };
  const who = 'committer Lea Lead <lea@example.com> 0 +0000\ndata 0\n';
  // fast-import files notes on commits only.
  const anchors = idsUpTo(n).map((_, at) => `commit refs/heads/bench\nmark :${at + 1}\n${who}`);
  const notes = idsUpTo(n).map((id, at) => {
    const text = `${JSON.stringify(sampleTask(id), null, 2)}\n`;
    return `N inline :${at + 1}\ndata ${Buffer.byteLength(text)}\n${text}\n`;
  });
  const marks = `${repo.path}/.git/bench-marks`;
  execFileSync('git', ['fast-import', '--quiet', `--export-marks=${marks}`], {
    ...options,
    input: `${anchors.join('')}commit refs/notes/bench\n${who}${notes.join('')}`,
  });
  return execFileSync('cat', [marks], options)
    .trim()
    .split('\n')
    .map((line) => line.split(' ')[1] ?? '');
}

function idsUpTo(n: number): string[] {
  return Array.from({ length: n }, (_, at) => `task-${String(at + 1).padStart(5, '0')}`);
}

function median(times: number[]): number {
  return [...times].sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;
}
