import { execFileSync } from 'node:child_process';
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeRepo, makeTempDir, type TestRepo } from '../support/repo.ts';

export interface Backlog {
  readonly program: string;
  readonly version: string;
}

/** Installs the newest backlog.md into a folder of its own; an error's message where that can't be done. */
export function installBacklog(): Backlog | string {
  const folder = makeTempDir('flame-bench-backlog');
  try {
    const options = { cwd: folder, stdio: 'pipe', timeout: 180_000 } as const;
    execFileSync('npm', ['install', '--prefix', folder, '--no-audit', '--no-fund', '--no-save', 'backlog.md'], options);
    const module = join(folder, 'node_modules');
    const manifest: unknown = JSON.parse(readFileSync(join(module, 'backlog.md', 'package.json'), 'utf8'));
    const version = typeof manifest === 'object' && manifest !== null && 'version' in manifest;
    return { program: join(module, '.bin', 'backlog'), version: version ? String(manifest.version) : '' };
  } catch (error) {
    const [reason = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
    return `backlog.md could not be installed (${reason.slice(0, 80)})`;
  }
}

/** A repository with `n` tasks of backlog.md, as its own `task create` writes them, all committed. */
export function makeBacklogProject(backlog: Backlog, n: number): TestRepo {
  const repo = makeRepo();
  const run = (...args: string[]): string => {
    // Into a file: what it has not written when it exits, a pipe would lose.
    const file = join(makeTempDir(), 'output');
    const output = openSync(file, 'w');
    const env = { ...repo.env, HOME: makeTempDir() };
    execFileSync(backlog.program, args, { cwd: repo.path, env, stdio: ['ignore', output, 'pipe'] });
    closeSync(output);
    return readFileSync(file, 'utf8');
  };
  run('init', 'bench', '--defaults', '--integration-mode', 'none');
  run('config', 'set', 'remoteOperations', 'false');
  const folder = join(repo.path, 'backlog', 'tasks');
  for (let at = 1; at <= n; at += 1) {
    writeFileSync(join(folder, `task-${at} - Do-task-${at}.md`), renderTask(at));
  }
  repo.commit('tasks');
  const listed = run('task', 'list', '--plain').split('TASK-').length - 1;
  if (listed !== n) throw new Error(`backlog lists ${listed} of ${n} tasks`);
  return repo;
}

function renderTask(at: number): string {
  return `---
id: TASK-${at}
title: Do task-${at}
status: To Do
assignee: []
created_date: '2026-02-06 14:30'
labels: []
dependencies: []
ordinal: ${at * 1000}
---

## Description

<!-- SECTION:DESCRIPTION:BEGIN -->
What task-${at} is about.
<!-- SECTION:DESCRIPTION:END -->
`;
}
