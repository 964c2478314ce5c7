import type { Changeset } from './changeset.ts';
import type { Task } from './task-schema.ts';
import type { DiagnosticRun, Verdict } from './verdict.ts';

/** Finds the latest verdict on exactly the commit of a task; undefined: none. */
export function findVerdictOf(task: Pick<Task, 'id' | 'commit'>, verdicts: readonly Verdict[]): Verdict | undefined {
  return verdicts.findLast((one) => one.task === task.id && one.commit === task.commit);
}

/** Whether a changeset is still to be decided, or to land. */
export function isChangesetOpen({ state }: Pick<Changeset, 'state'>): boolean {
  return state === 'waiting' || state === 'approved';
}

/** Warnings that a changeset doesn't have all of its group, or stands on another one, a sentence each. */
export function describeIncompleteChangeset({
  missing,
  depends_on,
}: Pick<Changeset, 'missing' | 'depends_on'>): readonly string[] {
  const verb = missing.length === 1 ? 'is' : 'are';
  return [
    ...(missing.length === 0 ? [] : [`The group is incomplete: ${missing.join(', ')} ${verb} not in this changeset.`]),
    ...(depends_on.length === 0
      ? []
      : [`Stacked on ${depends_on.join(', ')}: if that isn't approved, this is deferred.`]),
  ];
}

/**
 * Separates verdict notes that all of several tasks share, so that they are shown once; own: the tasks without them.
 * shared: '' where there are none, and the tasks as they were.
 */
export function separateSharedNotes<T extends { readonly notes: string }>(
  tasks: readonly T[],
): { readonly shared: string; readonly own: readonly T[] } {
  const [first, second] = tasks;
  if (first === undefined || second === undefined || tasks.some(({ notes }) => notes !== first.notes))
    return { shared: '', own: tasks };
  return { shared: first.notes, own: tasks.map((task) => ({ ...task, notes: '' })) };
}

/** The facts of each changeset that decide what another one stands on. */
type Named = Pick<Changeset, 'id' | 'group' | 'state'>;

/**
 * Finds what keeps a changeset from being approved: the first it depends on that is neither approved nor landed, one
 * that was decided before one that still waits. null: nothing.
 */
export function findBlockingChangeset<T extends Named>(
  changesets: readonly T[],
  changeset: Pick<Changeset, 'id' | 'depends_on'>,
): T | null {
  const inTheWay = changeset.depends_on
    .flatMap((group) => findMeantGroup(changesets, changeset, group) ?? [])
    .filter(({ state }) => state !== 'approved' && state !== 'landed')
    .sort((a, b) => changesets.indexOf(a) - changesets.indexOf(b));
  return inTheWay.find(({ state }) => state !== 'waiting') ?? inTheWay[0] ?? null;
}

/**
 * Finds the changeset that another one means by the group it depends on. After a rejection the rest of a group is built
 * again under the same name: the last one built before counts.
 */
function findMeantGroup<T extends Named>(
  changesets: readonly T[],
  { id }: Pick<Changeset, 'id'>,
  group: string,
): T | undefined {
  const own = changesets.findIndex((one) => one.id === id);
  const before = own === -1 ? changesets : changesets.slice(0, own);
  return before.findLast((one) => one.group === group);
}

/** Each state of a changeset in people's words. */
export const changesetStateWords: Readonly<Record<Changeset['state'], string>> = {
  waiting: 'waiting',
  approved: 'approved',
  rejected: 'sent back',
  skipped: 'skipped',
  deferred: 'deferred',
  landed: 'landed',
  conflict: 'conflict',
  void: 'stale',
};

/** Whether a diagnostic failed: what they were run on is passed or approved only with a reason. */
export function hasFailedDiagnostic({
  diagnostics,
}: {
  readonly diagnostics: readonly Pick<DiagnosticRun, 'exit_code'>[];
}): boolean {
  return diagnostics.some(({ exit_code: code }) => code !== 0);
}

/** Whether diagnostics and validator came to a verdict; else a person or a lead agent did. */
export function isFromChecks({ by }: Pick<Verdict, 'by'>): boolean {
  return by === 'diagnostics' || by.startsWith('validator-');
}
