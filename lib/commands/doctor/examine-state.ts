import { accessSync, constants, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { readLiveAgents } from '../../cell/run/agent-registry.ts';
import { listStaleRuns } from '../../cell/run/end-runs.ts';
import type { LoadedConfig } from '../../config/load-config.ts';
import type { Config } from '../../domain/config/config-schema.ts';
import { FlameError } from '../../domain/flame-error.ts';
import type { UnusableNote } from '../../domain/ports/store-port.ts';
import type { UnverifiedCompletion } from '../../domain/state/task-schema.ts';
import type { Io } from '../../domain/view-models/command.ts';
import { createCheckFindings, type DoctorFinding } from '../../domain/view-models/doctor-finding.ts';
import { listClosedTryWorktrees } from '../../engine/retention/tried-changesets.ts';
import { listRefLocks } from '../../store/repair/repair-ref.ts';
import { machineName } from '../../trust/clone-key.ts';
import { isContentAllowed, readPermission } from '../../trust/repository/permission.ts';
import { describeItem } from '../../trust/repository/repository-guard.ts';
import { describeUnverifiedCompletion, listUnverifiedHints } from '../../ui/render/render-unverified.ts';
import { formatCount } from '../../util/format-figures.ts';
import { listNamesIn } from '../../util/read-file.ts';
import { shellQuote } from '../../util/shell-quote.ts';
import type { ReadContext } from '../context/open-read-context.ts';
import { readPermissionRequest } from '../context/permission-gate.ts';
import { warnOfStaleWorktrees } from '../run-loop/next-command.ts';

/** Examines refs/blueflame/*: whether they can be read, and how to repair what can't. */
export async function examineState({ git, store }: ReadContext): Promise<readonly DoctorFinding[]> {
  return [...(await examineRefs(store)), ...examineLocks(git.repository.commonDir)];
}

/** A finding where nothing could be recorded. */
export function examineWritable(commonDir: string): readonly DoctorFinding[] {
  const closed = ['', 'objects', 'refs'].map((name) => join(commonDir, name)).filter((path) => !isWritable(path));
  return closed.map((path) =>
    createCheckFindings('state', 'writable').missing(`${path} can't be written, so no work or test can run here.`, {
      hints: ['git flame status, show and log keep working.'],
    }),
  );
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

// Younger ones belong to a git at work.
const oldLockMs = 60_000;

function examineLocks(commonDir: string): readonly DoctorFinding[] {
  return listRefLocks(commonDir)
    .filter(({ ageMs }) => ageMs > oldLockMs)
    .map(({ path }) =>
      createCheckFindings('state', 'lock').weaker(
        `${path} blocks every change of what it locks, and is older than a minute.`,
        { hints: ['git flame doctor --repair'] },
      ),
    );
}

async function examineRefs(store: ReadContext['store']): Promise<readonly DoctorFinding[]> {
  const check = createCheckFindings('state', 'refs');
  try {
    const { sessions, problems, unverified } = await store.snapshot();
    if (problems.length > 0) return problems.map(describeProblem);
    if (unverified.length > 0) return [describeAll(unverified)];
    return [check.proven(`The state of ${formatCount(sessions.length, 'session')} can be read.`)];
  } catch (error) {
    if (!(error instanceof FlameError)) throw error;
    const { ref } = error.data;
    const repair = typeof ref === 'string' ? repairOfRef(ref) : [];
    const hints = [
      'git flame doctor --repair',
      ...repair,
      ...error.hints.filter((hint) => hint !== 'git flame doctor'),
    ];
    return [{ ...check.failed(error), hints }];
  }
}

/** Nothing is broken: it is another clone's word. */
function describeAll(unverified: readonly UnverifiedCompletion[]): DoctorFinding {
  const message = `Another clone reports ${formatCount(unverified.length, 'thing')} as ended that has not ended here.`;
  const details = unverified.slice(0, 20).map(describeUnverifiedCompletion);
  return createCheckFindings('state', 'ends').weaker(message, {
    details,
    hints: listUnverifiedHints(unverified),
  });
}

/** Describes one broken note: the others can be read, so only its session or task has to wait. */
function describeProblem({ ref, object, message }: UnusableNote): DoctorFinding {
  const broken = `A note on ${ref} can't be used: object ${object} ${message}.`;
  return createCheckFindings('state', 'note').weaker(broken, {
    hints: [
      message.includes('newer git-flame')
        ? 'Use that version for it: this one does not touch it.'
        : 'git flame doctor --repair',
      `git cat-file -p ${object}`,
      `git log --find-object=${object} --format=%h ${ref}`,
      `To restore the ref from before the oldest commit listed: git update-ref ${ref} <commit>^`,
    ],
  });
}

function repairOfRef(ref: string): string[] {
  return [
    `If a remote has it: git fetch origin '+${ref}:${ref}'`,
    `Otherwise its content is lost: git update-ref -d ${ref}`,
  ];
}

export interface TrustExamination {
  readonly findings: readonly DoctorFinding[];
  /** The configuration to try, without what was not allowed. */
  readonly config: Config;
  /** True if nothing was left out. */
  readonly isAllowed: boolean;
}

/** Examines whether what this repository's files ask for is allowed, and what would be asked. */
export function examineTrust(
  loaded: LoadedConfig,
  io: Io,
  { git, root }: Pick<ReadContext, 'git'> & { readonly root: string },
): TrustExamination {
  try {
    const { content, place } = readPermissionRequest(loaded, io, { git, root });
    if (content.items.length === 0) return { findings: [], config: content.config, isAllowed: true };
    const isSafe = isContentAllowed(content, readPermission(place));
    const check = createCheckFindings('state', 'trust', false);
    if (isSafe) {
      const findings = [check.proven("You allowed what this repository's files would run.")];
      return { findings, config: content.config, isAllowed: true };
    }
    const left = check.weaker("You have not allowed what this repository's files would run: it is not used here.", {
      details: content.items.map(describeItem),
      hints: ['git flame trust'],
    });
    return { findings: [left], config: withoutUnpermitted(content.config), isAllowed: false };
  } catch (error) {
    const findings = [createCheckFindings('state', 'trust').failed(error)];
    return { findings, config: withoutUnpermitted(loaded.config), isAllowed: false };
  }
}

/** Programs that were not allowed are not started, folders not shown. */
function withoutUnpermitted(config: Config): Config {
  const { superpowers } = config;
  return { ...config, adapters: {}, superpowers: { ...superpowers, enabled: false, plugin_dir: null } };
}

// A lock is renewed every five seconds by its holder, and taken over when it is older than this.
const staleLockMs = 10_000;

/** Lists what a killed run left behind; none of it stops work. */
export async function examineLeftovers({ git, store }: ReadContext, env: Io['env']): Promise<readonly DoctorFinding[]> {
  const { commonDir } = git.repository;
  const findings = [
    ...listStaleRuns(commonDir, new Date()).map((folder) =>
      leftover('run-folder', `${folder} belongs to a command that has ended.`),
    ),
    ...(await leftWorktrees({ git, store })),
    ...(await leftTries({ git, store })),
    ...(await leftBehind(store, machineName({ env, commonDir }))),
    ...staleLocks(join(commonDir, 'blueflame', 'locks')),
  ];
  return findings.length > 0 ? findings : [createCheckFindings('leftovers', 'none').proven('There are no leftovers.')];
}

async function leftWorktrees({ git, store }: Pick<ReadContext, 'git' | 'store'>): Promise<DoctorFinding[]> {
  const living = new Set(readLiveAgents(git.repository.commonDir).map(({ id }) => id));
  const snapshot = await store.snapshot().catch(() => null);
  const tasks = snapshot?.sessions.flatMap(({ id }) => snapshot.tasksOf(id)) ?? [];
  return (await git.cells())
    .filter(({ path }) => !living.has(basename(path)))
    .map(({ path, subject }) => {
      // A released task names its worktree no more; the worktree still says whose it is.
      const task = tasks.find(
        ({ id, session, worktree }) => worktree === path || (session === subject?.session && id === subject.task),
      );
      const whose = task === undefined ? 'no task' : `task ${task.id} (${task.status})`;
      return leftover('worktree', `The worktree ${path} of ${whose} is kept with its agent's files.`);
    });
}

/** Worktrees to try changesets in that were decided since. */
async function leftTries({ git, store }: Pick<ReadContext, 'git' | 'store'>): Promise<readonly DoctorFinding[]> {
  const snapshot = await store.snapshot().catch(() => null);
  const closed = snapshot === null ? [] : await listClosedTryWorktrees({ git }, snapshot);
  const check = createCheckFindings('leftovers', 'worktree', false);
  return closed.map(({ path, group, why }) =>
    check.weaker(`The worktree ${path} is still there, ${why}.`, {
      hints: [`git flame review --done ${shellQuote(group)}`],
    }),
  );
}

/** Work trees that a landing was to change. */
async function leftBehind(store: ReadContext['store'], place: string): Promise<readonly DoctorFinding[]> {
  const snapshot = await store.snapshot().catch(() => null);
  return (snapshot?.sessions ?? []).flatMap((session) => {
    const message = warnOfStaleWorktrees(session, place);
    return message === null ? [] : [leftover('work-tree', message)];
  });
}

function staleLocks(folder: string): DoctorFinding[] {
  return listNamesIn(folder)
    .filter((name) => name.endsWith('.lock') && ageOf(join(folder, name)) > staleLockMs)
    .map((name) =>
      leftover(
        'session-lock',
        `Session ${name.slice(0, -'.lock'.length)} was locked by a command that has ended; the next command takes the lock over.`,
      ),
    );
}

function leftover(check: string, message: string): DoctorFinding {
  return createCheckFindings('leftovers', check, false).weaker(message);
}

function ageOf(path: string): number {
  return Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
}
