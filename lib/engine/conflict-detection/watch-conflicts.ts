import { makeConflictKey } from '../../core/conflict-detection/trial-merges.ts';
import type { PredictedConflict } from '../../domain/view-models/status-view.ts';
import { errorMessage } from '../../util/error-text.ts';
import { personWorktreePath } from '../manual/worktree-of-person.ts';
import type { SessionView } from '../record-changes.ts';
import { type RunContext, warn } from '../run-context.ts';
import { createConflictDetector } from './conflict-detector.ts';

/** Looks for conflicts between works while a wave goes on. Nothing waits for a look, and nothing is decided by it. */
export interface ConflictWatch {
  /** Begins a look once the last one is over and some time has passed; returns at once. Of several asks the last counts. */
  look(view: SessionView): void;
  /** Ends a look that is under way. Throws nothing. */
  end(): Promise<void>;
}

/** Trials of one look. */
const mostTrials = 60;
// Between the end of a look and the next one; as a share of what a look took, so that it stays a small one.
const leastRestMs = 2_000;
const restShare = 4;

/** Does the work of a wave, which says when a look is due; a look that is under way at its end is ended. */
export async function withConflictWatch<T>(
  context: RunContext,
  work: (radar: ConflictWatch) => Promise<T>,
): Promise<T> {
  const radar = watchConflicts(context);
  try {
    return await work(radar);
  } finally {
    await radar.end();
  }
}

export function watchConflicts(context: RunContext): ConflictWatch {
  const memory = context.run.ahead;
  const detector = createConflictDetector(
    { ...context, worktreeOf: (task) => personWorktreePath(context, task) },
    memory,
  );
  const over = new AbortController();
  const signal = AbortSignal.any([context.signal, over.signal]);
  let next = 0;
  let current: Promise<void> | null = null;
  let asked: SessionView | null = null;
  let resting: NodeJS.Timeout | undefined;
  const once = async (view: SessionView): Promise<void> => {
    const began = context.now().getTime();
    const { found } = await detector.look(view, { trials: mostTrials, signal });
    const ended = context.now().getTime();
    next = ended + Math.max(leastRestMs, (ended - began) * restShare);
    const facts = JSON.stringify(found.map(factsOf));
    if (signal.aborted || facts === memory.shown) return;
    memory.shown = facts;
    const added = found.filter((conflict) => !memory.reported.has(makeConflictKey(conflict)));
    for (const conflict of added) memory.reported.add(makeConflictKey(conflict));
    context.events.emit({ event: 'conflicts-ahead', found, added });
  };
  const begin = (): void => {
    if (asked === null || current !== null || signal.aborted) return;
    clearTimeout(resting);
    const restMs = next - context.now().getTime();
    if (restMs > 0) {
      resting = setTimeout(begin, restMs).unref();
      return;
    }
    const view = asked;
    asked = null;
    current = once(view)
      .catch((error: unknown) => {
        if (signal.aborted) return;
        over.abort();
        const why = errorMessage(error);
        warn(context, `Conflict detection stopped for the rest of this wave: ${why}`);
      })
      .finally(() => {
        current = null;
        begin();
      });
  };
  return {
    look: (view) => {
      asked = view;
      begin();
    },
    end: async () => {
      over.abort();
      clearTimeout(resting);
      await current;
    },
  };
}

/** Without commits: an agent may make many, and come to the same. */
function factsOf({ one, other, paths, unrelated }: PredictedConflict): readonly unknown[] {
  const isAtWork = 'task' in other && other.at_work;
  return [one.task, one.at_work, 'task' in other ? other.task : null, isAtWork, paths, unrelated];
}
