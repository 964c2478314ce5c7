import * as assert from 'uvu/assert';
import { makeExecProject, type ScriptTask, writeDecisions, writePlan } from './exec-project.ts';
import { type FlameRun, flame, flameJson } from './flame.ts';
import { openRepo, type TestRepo } from './repo.ts';

export type Fields = Readonly<Record<string, unknown>>;

export interface Opened {
  readonly config?: Fields;
  readonly name?: string;
  readonly tasks?: readonly ScriptTask[];
  /** Called before the first run. */
  readonly prepare?: (repo: TestRepo) => void;
}

export const auth: ScriptTask = { id: 'one', group: 'auth', script: 'echo ours > src/a.txt', locks: ['src/a.txt'] };

/** A session whose changesets wait. */
export async function waiting({ config = {}, tasks = [auth], prepare, ...options }: Opened = {}): Promise<TestRepo> {
  const repo = makeExecProject({ config, ...options });
  prepare?.(repo);
  writePlan(repo, tasks);
  writeDecisions(repo, { plan: ['approve'] });
  const run = await flame(repo, ['run', 'Go', '--from', '.git/plan.yml', '--decisions-file', '.git/decisions.yml']);
  assert.is(run.code, 2, run.stderr);
  return repo;
}

export interface Tried extends FlameRun {
  readonly facts: Fields;
  readonly path: string;
  readonly there: TestRepo;
}

export async function tryIt(repo: TestRepo, ...words: readonly string[]): Promise<Tried> {
  const run = await flameJson(repo, ['review', '--try', ...words]);
  const [facts = {}, ...more] = run.lines;
  assert.equal(more, []);
  assert.type(facts.worktree, 'string', run.stderr);
  const path = `${facts.worktree}`;
  return { ...run, facts, path, there: openRepo(path, repo.env) };
}

export const done = (repo: TestRepo, ...words: readonly string[]): Promise<FlameRun> =>
  flame(repo, ['review', '--done', ...words]);
