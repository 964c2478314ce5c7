import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ChangesetDecision, ChangesetQuestion } from '../../lib/domain/ports/changeset-question.ts';
import type { Gates } from '../../lib/domain/ports/gates.ts';
import type { Task } from '../../lib/domain/state/task-schema.ts';
import { viewSession } from '../../lib/engine/record-changes.ts';
import { runSession } from '../../lib/engine/run-session.ts';
import { type FakeAgent, openTestWorkshop, type TestWorkshop } from './workshop.ts';

export interface StackTask {
  readonly id: string;
  readonly locks?: readonly string[];
  readonly group?: string;
  readonly priority?: number;
  readonly needs?: readonly string[];
}

/** The one file that tasks of a stack write by default. */
export const shared = 'src/price.js';

/** A task of a group of its own that locks the shared file. */
export function stackTask({ id, locks = [shared], group = id, priority = 5, needs = [] }: StackTask) {
  return {
    ...{ id, title: `Do ${id}`, description: 'Do it.', cohesion_group: group, priority },
    ...{ dependencies: [...needs], file_locks: [...locks] },
  };
}

/** Agents that add a line with their task's name at the end of a file, whatever it holds. */
export function appending(file: (task: string) => string = () => shared): FakeAgent {
  return ({ task, worktree }, attempt) => {
    if (task === null) return {};
    const path = join(worktree.path, file(task));
    const before = existsSync(path) ? readFileSync(path, 'utf8') : '';
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `${before}${task}${attempt === 1 ? '' : ` again ${attempt}`}\n`);
    return {};
  };
}

const apart = 4;

/** A file with room for each task: a heading, and lines that keep it apart from the next one. */
export function roomFor(tasks: readonly string[]): string {
  return tasks.map((task) => `# ${task}\n${'\n'.repeat(apart)}`).join('');
}

/** Agents that write below their own heading, so that none stands in the way of another. */
export const filling: FakeAgent = ({ task, worktree }, attempt) => {
  const path = join(worktree.path, shared);
  const line = `${task}${attempt === 1 ? '' : ` again ${attempt}`}`;
  writeFileSync(path, readFileSync(path, 'utf8').replace(`# ${task}\n`, `# ${task}\n${line}\n`));
  return {};
};

/** What was filled in, in order of the file. */
export function filled(bench: TestWorkshop): readonly string[] {
  return landedText(bench)
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
}

export interface StackBench extends TestWorkshop {
  /** What was asked at the gate for changesets. */
  readonly asked: readonly ChangesetQuestion[];
  tasks(): Promise<readonly Task[]>;
  task(id: string): Promise<Task>;
}

/** A session of tasks that write one file; the person approves, but for what `decide` says of a group. */
export async function openStack(options: {
  readonly tasks: readonly StackTask[];
  readonly agent?: FakeAgent;
  readonly config?: Readonly<Record<string, unknown>>;
  readonly decide?: (group: string, question: ChangesetQuestion) => ChangesetDecision | undefined;
  readonly gates?: Partial<Gates>;
  readonly files?: Readonly<Record<string, string>>;
}): Promise<StackBench> {
  const asked: ChangesetQuestion[] = [];
  const bench = await openTestWorkshop({
    tasks: options.tasks.map(stackTask),
    agent: options.agent ?? appending(),
    ...(options.files === undefined ? {} : { files: options.files }),
    config: { roles: { worker: { adapter: 'exec' } }, ...options.config },
    gates: {
      changeset: async (question) => {
        asked.push(question);
        return options.decide?.(question.changeset.group, question) ?? { kind: 'approve' };
      },
      session: async () => ({ kind: 'stop' }),
      ...options.gates,
    },
  });
  const tasks = async (): Promise<readonly Task[]> => (await viewSession(bench.context, bench.session)).tasks;
  return {
    ...bench,
    asked,
    tasks,
    task: async (id) => {
      const found = (await tasks()).find((task) => task.id === id);
      if (found === undefined) throw new Error(`no task ${id}`);
      return found;
    },
  };
}

/** The whole loop, as `git flame run` has it. */
export function runStack({ context, session }: TestWorkshop): Promise<void> {
  return runSession(context, session, { plan: null, wantsTalk: false });
}

/** What the branch holds of the shared file. */
export function landedText({ repo }: TestWorkshop, file = shared): string {
  return repo.git('show', `main:${file}`);
}
