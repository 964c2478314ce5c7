import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { Store } from '../../lib/domain/ports/store-port.ts';
import { createTasks, openTestStore, sampleTask, setStatus } from '../store/sample.ts';
import { makeRepo, type TestRepo } from '../support/repo.ts';
import { type BenchRow, type Figure, median } from './figures.ts';

const sizes = [100, 1_000, 10_000] as const;
const rounds = 5;
const changes = 15;
// The first change starts git and asks for the identity; the next ones are compiled, and make up for what starting
// another process cost this one. A run does the former once, the latter now and then.
const warmUp = 5;

/** One task's state change among many tasks, against `git notes add` among as many notes, taking turns. */
export async function benchStateChange(): Promise<BenchRow[]> {
  const places = [];
  for (const n of sizes) places.push(await prepare(n));
  for (let round = 0; round < rounds; round += 1) {
    for (const place of places) {
      for (let at = 0; at < warmUp; at += 1) await timeOurs(place, at);
      for (let at = 0; at < changes; at += 1) place.ours.push(await timeOurs(place, at));
      for (let at = 0; at < changes; at += 1) place.notesAdd.push(timeNotesAdd(place, round * changes + at));
    }
  }
  for (const { store, repo, stock } of places) {
    await store.close();
    repo.remove();
    stock.remove();
  }
  const [small, , large] = places;
  const rows = places.map(
    ({ n, ours, notesAdd }): BenchRow => ({
      what: `state change, ${n.toLocaleString('en')} tasks`,
      against: '`git notes add`',
      figures: { ours: figure(ours), other: figure(notesAdd) },
      target: { kind: 'ratio', most: 1 },
    }),
  );
  if (small === undefined || large === undefined) return rows;
  const figures = { ours: figure(large.ours), other: figure(small.ours) };
  const flat = {
    what: 'state change, 10,000 tasks',
    against: '100 tasks',
    figures,
    target: { kind: 'ratio', most: 1.5 },
  } as const;
  return [...rows, flat];
}

interface Place {
  readonly n: number;
  readonly repo: TestRepo;
  readonly store: Store;
  readonly ids: readonly string[];
  /** Another repository, with notes of stock git. */
  readonly stock: TestRepo;
  readonly keys: readonly string[];
  readonly ours: number[];
  readonly notesAdd: number[];
}

async function prepare(n: number): Promise<Place> {
  const [repo, stock] = [makeRepo(), makeRepo()];
  const store = await openTestStore(repo);
  const ids = idsUpTo(n);
  await createTasks(
    store,
    ids.map((id) => sampleTask(id)),
  );
  return { n, repo, store, ids, stock, keys: fillNotes(stock, ids), ours: [], notesAdd: [] };
}

async function timeOurs({ store, ids, n }: Place, round: number): Promise<number> {
  const began = performance.now();
  await setStatus(store, ids[(round * 37) % n] ?? '', round % 2 === 0 ? 'claimed' : 'pending');
  return performance.now() - began;
}

function timeNotesAdd({ stock, keys, n }: Place, round: number): number {
  const body = JSON.stringify(sampleTask('task-1', { status: 'claimed' }), null, 2);
  const began = performance.now();
  stock.git('notes', '--ref=bench', 'add', '-f', '-m', `${body}\n${round}`, keys[(round * 37) % n] ?? '');
  return performance.now() - began;
}

/** The same tasks as notes of stock git, made in one go. Returns their keys. */
function fillNotes(repo: TestRepo, ids: readonly string[]): string[] {
  const who = 'committer Lea Lead <lea@example.com> 0 +0000\ndata 0\n';
  // fast-import files notes on commits only.
  const anchors = ids.map((_, at) => `commit refs/heads/bench\nmark :${at + 1}\n${who}`);
  const notes = ids.map((id, at) => {
    const text = `${JSON.stringify(sampleTask(id), null, 2)}\n`;
    return `N inline :${at + 1}\ndata ${Buffer.byteLength(text)}\n${text}\n`;
  });
  const marks = `${repo.path}/.git/bench-marks`;
  execFileSync('git', ['fast-import', '--quiet', `--export-marks=${marks}`], {
    cwd: repo.path,
    env: repo.env,
    input: `${anchors.join('')}commit refs/notes/bench\n${who}${notes.join('')}`,
  });
  const lines = readFileSync(marks, 'utf8').trim().split('\n');
  return lines.map((line) => line.split(' ')[1] ?? '');
}

function idsUpTo(n: number): string[] {
  return Array.from({ length: n }, (_, at) => `task-${String(at + 1).padStart(5, '0')}`);
}

function figure(times: readonly number[]): Figure {
  return { wall_ms: median(times), cpu_ms: null };
}
