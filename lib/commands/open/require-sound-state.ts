import type { FlameError } from '../../domain/flame-error.ts';
import { parseSessionId } from '../../domain/ids.ts';
import type { StateProblem } from '../../domain/ports/store-port.ts';
import type { DecisionLog } from '../../domain/state/decision-log.ts';
import { type GitContext, gitText } from '../../git/process/run-git.ts';
import { unusableState } from '../../store/store-errors.ts';
import type { Reading } from './read-state.ts';

/**
 * Refuses to work where a note of the session, or of any session itself, can't be read: a task that seems to be
 * gone would be taken for settled. Other unreadable notes are named in a warning. Throws FlameError `state-corrupt`.
 */
export async function requireSoundState(
  { store, decided, output, meant }: Reading,
  context: GitContext,
): Promise<void> {
  const snapshot = await store.snapshot();
  if (snapshot.problems.length === 0) return;
  const anchors = await readAnchors(context);
  decided.refresh();
  const session = meant.pick(snapshot);
  const open = session?.state === 'ended' ? null : (session?.id ?? null);
  const nameOf = ({ key }: StateProblem): string | undefined => anchors.get(key);
  const isInTheWay = (problem: StateProblem): boolean => {
    const [owner, task] = nameOf(problem)?.split('/') ?? [];
    if (owner === undefined) return false;
    return isKnown(decided, owner, task) && (task === undefined || owner === open);
  };
  const fatal = snapshot.problems.filter(isInTheWay);
  for (const problem of snapshot.problems) if (!fatal.includes(problem)) output.warn(describe(problem));
  if (fatal.length > 0) throw unsound(fatal, nameOf);
}

/** Whether this clone ever decided about it: else nothing of its own depends on it, damaged or not. */
function isKnown(decided: DecisionLog, owner: string, task: string | undefined): boolean {
  const session = parseSessionId(owner);
  const facts = {};
  return task === undefined
    ? decided.changesTo({ kind: 'session', session, about: '', facts }) !== null
    : decided.changesTo({ kind: 'task', session, about: task, facts }) !== null;
}

/** Reads the names of anchors: `<session>` or `<session>/<task>`, by their object id. */
async function readAnchors(context: GitContext): Promise<ReadonlyMap<string, string>> {
  const trees = await Promise.all(
    ['refs/blueflame/sessions', 'refs/blueflame/tasks'].map((ref) =>
      gitText(context, ['ls-tree', '-r', `${ref}:anchors`], { accept: [0, 128] }),
    ),
  );
  const rows = trees.join('\n').matchAll(/^\d+ blob ([0-9a-f]+)\t(.+)$/gm);
  return new Map([...rows].map(([, oid = '', path = '']) => [oid, path]));
}

function describe({ ref, object, message }: StateProblem): string {
  return `${ref} ${object}: ${message}`;
}

function unsound(
  problems: readonly StateProblem[],
  nameOf: (problem: StateProblem) => string | undefined,
): FlameError {
  const refs = [...new Set(problems.map(({ ref }) => ref))];
  const names = problems.map((problem) => nameOf(problem)?.split('/').at(-1) ?? '');
  const things = [...new Set(names)].slice(0, 5).join(', ');
  return unusableState(`What is stored about ${things} can't be read, so nothing was done.`, {
    details: problems.slice(0, 20).map(describe),
    hints: [
      'git flame doctor --repair',
      ...refs.map((ref) => `git log --stat ${ref}`),
      ...refs.map((ref) => `go back to the commit before the damage: git update-ref ${ref} <commit>`),
    ],
    data: { problems: problems.map(({ ref, object }) => ({ ref, object })) },
  });
}
