import type { AheadConflict } from '../../domain/shown/ahead.ts';
import { handWorktree } from '../by-hand/hand-task.ts';
import type { SessionView } from '../record.ts';
import type { Workshop } from '../workshop.ts';
import { createLookout } from './lookout.ts';

/** Looks for conflicts between works while agents are at them. Nothing waits for a look, and nothing is decided by it. */
export interface AheadWatch {
  /** Begins a look where the last one is over and some time has passed; returns at once. */
  look(view: SessionView): void;
  /** Ends a look that is under way. Throws nothing. */
  end(): Promise<void>;
}

/** Trials of one look. */
const mostTrials = 60;
// Between the end of a look and the next one; as a share of what a look took, so that it stays a small one.
const restMs = 2_000;
const restShare = 4;

export function watchAhead(workshop: Workshop): AheadWatch {
  const lookout = createLookout({ ...workshop, worktreeOf: (task) => handWorktree(workshop, task) });
  const over = new AbortController();
  const signal = AbortSignal.any([workshop.signal, over.signal]);
  const told = new Set<string>();
  let shown = '[]';
  let next = 0;
  let current: Promise<void> | null = null;
  const once = async (view: SessionView): Promise<void> => {
    const began = workshop.now().getTime();
    const { found } = await lookout.look(view, { trials: mostTrials, signal });
    const ended = workshop.now().getTime();
    next = ended + Math.max(restMs, (ended - began) * restShare);
    const facts = JSON.stringify(found.map(factsOf));
    if (signal.aborted || facts === shown) return;
    shown = facts;
    const added = found.filter((conflict) => !told.has(nameOf(conflict)));
    for (const conflict of added) told.add(nameOf(conflict));
    workshop.events.emit({ event: 'conflicts-ahead', found, added });
  };
  return {
    look: (view) => {
      if (current !== null || signal.aborted || workshop.now().getTime() < next) return;
      current = once(view)
        .catch((error: unknown) => {
          if (signal.aborted) return;
          over.abort();
          const why = error instanceof Error ? error.message : String(error);
          const message = `Conflicts ahead are not looked for any more in this wave: ${why}`;
          workshop.events.emit({ event: 'notice', level: 'warning', message });
        })
        .finally(() => {
          current = null;
        });
    },
    end: async () => {
      over.abort();
      await current;
    },
  };
}

/** Without commits: an agent may make many, and come to the same. */
function factsOf({ one, other, paths, unrelated }: AheadConflict): readonly unknown[] {
  const isAtWork = 'task' in other && other.at_work;
  return [one.task, one.at_work, 'task' in other ? other.task : null, isAtWork, paths, unrelated];
}

function nameOf({ one, other }: AheadConflict): string {
  return `${one.task} ${'task' in other ? other.task : ''}`;
}
