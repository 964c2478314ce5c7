import type { AgentRequest, SharedBudget } from '../../domain/ports/agent-port.ts';
import type { AgentRun } from './agent-run.ts';
import { heldAsks } from './held-asks.ts';

/** Its time does not run while its work is looked at as it means to end. */
export function held(run: AgentRun, lastWord: AgentRequest['lastWord']): Pick<AgentRequest, 'lastWord'> {
  if (lastWord === undefined) return {};
  return {
    lastWord: async (words, signal) => {
      run.held += 1;
      try {
        return await lastWord(words, signal);
      } finally {
        run.held -= 1;
      }
    },
  };
}

/** Its time does not run while it waits for the person. */
export function heldAsk(
  run: AgentRun,
  ask: AgentRequest['ask'],
  limit: number | 'never',
): Pick<AgentRequest, 'ask'> {
  if (ask === undefined || limit === 'never') return {};
  return { ask: heldAsks(ask, { run, root: run.folder.root, mostMs: limit }) };
}

/** Its time does not run while it waits for a share of a budget; `most` where it shares none. */
export async function untilGranted(
  run: AgentRun,
  take: () => ReturnType<SharedBudget['take']> | undefined,
  most: number,
): Promise<number | null> {
  run.held += 1;
  try {
    const granted = await take();
    return granted === undefined ? most : granted;
  } finally {
    run.held -= 1;
  }
}
