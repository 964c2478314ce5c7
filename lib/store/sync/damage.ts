import { FlameError } from '../../domain/flame-error.ts';
import type { StateProblem } from '../../domain/ports/store-port.ts';
import { type LoadContext, loadNotes } from '../notes/load-notes.ts';
import { problemsOf, type RefState } from '../notes/state.ts';
import type { RemoteRefs } from '../write/kept-commits.ts';

/** Finds notes that can't be read in states about to be sent, and that the remote doesn't have like that already. */
export async function freshDamage(
  context: LoadContext,
  states: readonly RefState<unknown>[],
  theirs: RemoteRefs,
): Promise<readonly StateProblem[]> {
  const found: StateProblem[] = [];
  for (const state of states) {
    const tip = theirs.get(state.kind.ref) ?? null;
    const problems = tip === state.tip ? [] : problemsOf(state);
    if (problems.length === 0) continue;
    const there = new Set(tip === null ? [] : (await problemsAt(context, state, tip)).map(nameOf));
    found.push(...problems.filter((problem) => !there.has(nameOf(problem))));
  }
  return found;
}

async function problemsAt(
  context: LoadContext,
  { kind, root }: RefState<unknown>,
  tip: Parameters<typeof loadNotes>[2],
): Promise<readonly StateProblem[]> {
  try {
    return problemsOf({ kind, tip, root: await loadNotes(context, kind, tip, root) });
  } catch (error) {
    // A tree that can't be read at all says nothing of its notes.
    if (error instanceof FlameError) return [];
    throw error;
  }
}

function nameOf({ object, message }: StateProblem): string {
  return `${object} ${message}`;
}
