import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { parseJsonRecord } from '../../lib/util/json.ts';
import { makeExecProject, type ScriptTask, writeDecisions, writePlan } from '../support/exec-project.ts';
import { makeRandom } from '../support/random.ts';
import { program } from './bench-version.ts';
import { type BenchRow, medianFigure } from './figures.ts';

const slots = 8;
const rounds = 3;
// Milliseconds an agent works.
const [shortest, longest] = [50, 2_000];

interface GraphTask {
  readonly id: string;
  readonly ms: number;
  readonly needs: readonly string[];
}

/** Which tasks of a graph wait for which: the place of each, and those it needs. */
const shapes: Readonly<Record<string, (at: number, last: number) => readonly number[]>> = {
  'fan-out': (at) => (at === 0 ? [] : [0]),
  diamond: (at, last) =>
    at === 0 ? [] : at < last ? [0] : Array.from({ length: last - 1 }, (_, before) => before + 1),
  // A fifth of the tasks one after the other; the rest wait for nothing.
  'long chain': (at, last) => (at > 0 && at < (last + 1) / 5 ? [at - 1] : []),
};

/** How long the work wave of a graph takes, against the time in which nobody could do it faster. */
export async function benchGraphs(): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  for (const count of [20, 100])
    for (const [name, needsOf] of Object.entries(shapes)) rows.push(...(await timeGraph(name, count, needsOf)));
  return rows;
}

async function timeGraph(
  name: string,
  count: number,
  needsOf: (at: number, last: number) => readonly number[],
): Promise<BenchRow[]> {
  const tasks = makeGraph(count, needsOf);
  const times: number[] = [];
  // Nothing to warm up: each is a process of its own.
  for (let round = 0; round < rounds; round += 1) times.push(await timeWave(tasks));
  const figure = (ms: readonly number[]) => medianFigure(ms.map((wall_ms) => ({ wall_ms, cpu_ms: null })));
  const what = `${count} agents, ${name}`;
  const against = (other: string, bound: number): BenchRow => ({
    ...{ what, against: other, figures: { ours: figure(times), other: figure([bound]) } },
    target: { kind: 'ratio', most: 1.1 },
  });
  return [against('lower bound', boundOf(tasks)), against('ideal order', idealOf(tasks))];
}

function makeGraph(count: number, needsOf: (at: number, last: number) => readonly number[]): readonly GraphTask[] {
  const random = makeRandom(count);
  const nameOf = (at: number): string => `task-${String(at + 1).padStart(3, '0')}`;
  return Array.from({ length: count }, (_, at) => ({
    id: nameOf(at),
    ms: random.int(shortest, longest),
    needs: needsOf(at, count - 1).map(nameOf),
  }));
}

function boundOf(tasks: readonly GraphTask[]): number {
  const ends = new Map<string, number>();
  for (const { id, ms, needs } of tasks) ends.set(id, ms + Math.max(0, ...needs.map((need) => ends.get(need) ?? 0)));
  const work = tasks.reduce((sum, { ms }) => sum + ms, 0);
  return Math.max(...ends.values(), work / slots);
}

/**
 * What the first bound leaves out: while a task runs that others wait for there may be no work for all, and nobody knows
 * before how long one takes. As in the waves, those come first that most others wait for one after the other.
 */
function idealOf(tasks: readonly GraphTask[]): number {
  const chains = new Map<string, number>();
  for (const { id } of [...tasks].reverse()) {
    const waiting = tasks.filter(({ needs }) => needs.includes(id));
    chains.set(id, 1 + Math.max(0, ...waiting.map((task) => chains.get(task.id) ?? 0)));
  }
  const chainOf = ({ id }: GraphTask): number => chains.get(id) ?? 0;
  const open = [...tasks].sort((a, b) => chainOf(b) - chainOf(a) || (a.id < b.id ? -1 : 1));
  const done = new Set<string>();
  const running: { readonly id: string; readonly at: number }[] = [];
  let now = 0;
  while (done.size < tasks.length) {
    for (const task of open.filter(({ needs }) => needs.every((need) => done.has(need)))) {
      if (running.length === slots) break;
      open.splice(open.indexOf(task), 1);
      running.push({ id: task.id, at: now + task.ms });
    }
    running.sort((a, b) => b.at - a.at);
    const ended = running.pop();
    if (ended === undefined) throw new Error('The tasks of a graph wait for each other.');
    now = ended.at;
    done.add(ended.id);
  }
  return now;
}

async function timeWave(tasks: readonly GraphTask[]): Promise<number> {
  const repo = makeExecProject({
    config: { concurrency: { development: slots, adaptive: false } },
  });
  writePlan(repo, tasks.map(toScript));
  writeDecisions(repo, { plan: ['approve'], changesets: ['approve'] });
  const args = ['run', 'A graph', '--from', '.git/plan.yml', '--decisions-file', '.git/decisions.yml', '--json'];
  const { stdout } = await promisify(execFile)(program, args, {
    cwd: repo.path,
    env: repo.env,
    maxBuffer: 1 << 28,
  });
  const events = stdout.split('\n').map(parseJsonRecord);
  const timeOf = (name: string): number =>
    Date.parse(String(events.find(({ event, wave }) => event === name && wave === 'work')?.at));
  repo.remove();
  return timeOf('wave-ended') - timeOf('wave-started');
}

function toScript({ id, ms, needs }: GraphTask): ScriptTask {
  const file = `src/${id}.txt`;
  return { id, needs, locks: [file], script: `sleep ${ms / 1_000}; mkdir -p src; echo ${ms} > ${file}` };
}
