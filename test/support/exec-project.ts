import { stringify } from 'yaml';
import { makeRepo, type TestRepo } from './repo.ts';
import { hasBubblewrap } from './skip.ts';
import { trusted } from './trusted.ts';

export interface ScriptTask {
  readonly id: string;
  readonly script: string;
  readonly locks: readonly string[];
  readonly title?: string;
  readonly group?: string;
  readonly needs?: readonly string[];
  readonly priority?: number;
  readonly adapter?: string;
  readonly attempts?: unknown;
}

/** A repository whose workers are scripts: no model anywhere. */
export function makeExecProject(
  options: {
    readonly config?: Readonly<Record<string, unknown>>;
    readonly name?: string;
    readonly objectFormat?: 'sha1' | 'sha256';
  } = {},
): TestRepo {
  return trusted(makeRepo({ ...options, config: execConfig(options.config) }));
}

/** The text of a `.blueflame.yml` with which workers are scripts, and with these keys. */
export function execConfig(keys: Readonly<Record<string, unknown>> = {}): string {
  const sandbox = withoutSandbox(keys.sandbox);
  // First of all: tests add lines to the end of the file.
  return stringify({
    schema_version: 1,
    ...sandbox,
    project: { name: 'sample', base_branch: 'main' },
    roles: { worker: { adapter: 'exec' } },
    ...keys,
    ...sandbox,
  });
}

let isConfined: boolean | null = null;

/** Where no cell can be made, scripts of tests run without one, as a person can allow it. */
function withoutSandbox(sandbox: unknown): Readonly<Record<string, unknown>> {
  isConfined ??= hasBubblewrap();
  return isConfined ? {} : { sandbox: { require: false, ...(sandbox ?? {}) } };
}

/** What a run said, but for the warning that no cell can be made here. */
export function besidesSandbox(stderr: string): string {
  return stderr.replace(/^warning: No sandbox: .*\n/m, '');
}

/** Writes a plan file outside the work tree's tracked files; returns its path. */
export function writePlan(repo: TestRepo, tasks: readonly ScriptTask[], name = 'plan.yml'): string {
  const path = `.git/${name}`;
  repo.write(path, stringify({ tasks: tasks.map(toEntry) }));
  return path;
}

/** Writes a decisions file; returns its path. */
export function writeDecisions(
  repo: TestRepo,
  decisions: Readonly<Record<string, readonly unknown[]>>,
  name = 'decisions.yml',
): string {
  const path = `.git/${name}`;
  repo.write(path, stringify(decisions));
  return path;
}

function toEntry(task: ScriptTask): Readonly<Record<string, unknown>> {
  return {
    id: task.id,
    title: task.title ?? `Do ${task.id}`,
    description: task.script,
    priority: task.priority ?? 1,
    cohesion_group: task.group ?? 'main',
    dependencies: task.needs ?? [],
    file_locks: task.locks,
    ...(task.adapter === undefined ? {} : { adapter: task.adapter }),
    ...(task.attempts === undefined ? {} : { attempts: task.attempts }),
  };
}
