import { readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { readLiveAgents } from '../../cell/run/agent-registry.ts';
import { listStaleRuns } from '../../cell/run/stale-runs.ts';
import { checkOf, type Finding } from '../../domain/shown/finding.ts';
import type { Io } from '../../domain/shown/io.ts';
import { machineName } from '../../trust/clone-key.ts';
import { behindLanding } from '../open/behind-landing.ts';
import type { Reading } from '../open/read-state.ts';

// A lock is renewed every five seconds by its holder, and taken over when it is older than this.
const staleLockMs = 10_000;

/** What a run that was killed left behind; nothing of it is in the way. */
export async function examineLeftovers({ git, store }: Reading, env: Io['env']): Promise<readonly Finding[]> {
  const { commonDir } = git.repository;
  const findings = [
    ...listStaleRuns(commonDir, new Date()).map((folder) =>
      leftover('run-folder', `${folder} belongs to a command that is gone.`),
    ),
    ...(await leftWorktrees({ git, store })),
    ...(await leftBehind(store, machineName({ env, commonDir }))),
    ...staleLocks(join(commonDir, 'blueflame', 'locks')),
  ];
  return findings.length > 0 ? findings : [checkOf('leftovers', 'none').proven('Nothing was left behind.')];
}

async function leftWorktrees({ git, store }: Pick<Reading, 'git' | 'store'>): Promise<Finding[]> {
  const living = new Set(readLiveAgents(git.repository.commonDir).map(({ id }) => id));
  const snapshot = await store.snapshot().catch(() => null);
  const tasks = snapshot?.sessions.flatMap(({ id }) => snapshot.tasksOf(id)) ?? [];
  return (await git.cells())
    .filter(({ path }) => !living.has(basename(path)))
    .map(({ path, subject }) => {
      // A released task names its worktree no more; the worktree still says whose it is.
      const task = tasks.find(
        ({ id, session, worktree }) =>
          worktree === path || (session === subject?.session && id === subject.task),
      );
      const whose = task === undefined ? 'no task' : `task ${task.id} (${task.status})`;
      return leftover('worktree', `The worktree ${path} of ${whose} is kept with what its agent wrote.`);
    });
}

/** Work trees that a landing was to change. */
async function leftBehind(store: Reading['store'], place: string): Promise<readonly Finding[]> {
  const snapshot = await store.snapshot().catch(() => null);
  return (snapshot?.sessions ?? []).flatMap((session) => {
    const message = behindLanding(session, place);
    return message === null ? [] : [leftover('work-tree', message)];
  });
}

function staleLocks(folder: string): Finding[] {
  return listFolder(folder)
    .filter((name) => name.endsWith('.lock') && ageOf(join(folder, name)) > staleLockMs)
    .map((name) =>
      leftover(
        'session-lock',
        `Session ${name.slice(0, -'.lock'.length)} was locked by a command that is gone; the next one takes it over.`,
      ),
    );
}

function leftover(check: string, message: string): Finding {
  return checkOf('leftovers', check, false).weaker(message);
}

function ageOf(path: string): number {
  return Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
}

function listFolder(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
