import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { type AgentQuestion, renderAgentQuestions } from '../../domain/agent-messages.ts';
import type { AgentRequest, SharedBudget } from '../../domain/ports/agent-port.ts';
import { redactIfSecret } from '../../policy/secrets/find-secrets.ts';
import { readTextOrEmpty } from '../../util/read-file.ts';
import { replaceFile } from '../../util/write-files.ts';
import type { AgentRunState } from './agent-run.ts';

/** Its time does not run while its work is looked at as it means to end. */
export function pauseTimeForFinalCheck(
  run: AgentRunState,
  lastWord: AgentRequest['finalCheck'],
): Pick<AgentRequest, 'finalCheck'> {
  if (lastWord === undefined) return {};
  return { finalCheck: (words, signal) => whileTimeStands(run, () => lastWord(words, signal)) };
}

/** Its time does not run while it waits for the person. */
export function pauseTimeForBudget(
  run: AgentRunState,
  ask: AgentRequest['ask'],
  limit: number | 'never',
): Pick<AgentRequest, 'ask'> {
  if (ask === undefined || limit === 'never') return {};
  return { ask: pauseTimeForQuestions(ask, { run, root: run.folder.root, mostMs: limit }) };
}

/** Its time does not run while it waits for a share of a budget; `most` where it shares none. */
export async function waitForBudgetShare(
  run: AgentRunState,
  take: () => ReturnType<SharedBudget['take']> | undefined,
  most: number,
): Promise<number | null> {
  const granted = await whileTimeStands(run, async () => take());
  return granted === undefined ? most : granted;
}

async function whileTimeStands<Result>(run: Holder, wait: () => Promise<Result>): Promise<Result> {
  run.pendingRequests += 1;
  try {
    return await wait();
  } finally {
    run.pendingRequests -= 1;
  }
}

type Ask = NonNullable<AgentRequest['ask']>;

/** Counts what the time of an agent stands still for. */
interface Holder {
  pendingRequests: number;
}

interface PausedQuestionsOptions {
  readonly run: Holder;
  /** Its run folder. */
  readonly root: string;
  /** For all of its questions together, in milliseconds. */
  readonly mostMs: number;
}

/**
 * Its time does not run while it waits for the person: at most `mostMs` in sum, as what runs in its cell works on
 * meanwhile.
 */
export function pauseTimeForQuestions(ask: Ask, { run, root, mostMs }: PausedQuestionsOptions): Ask {
  const noteQuestions = openQuestions(root);
  let leftMs = mostMs;
  return async (questions, signal) => {
    const answered = noteQuestions(questions);
    const since = performance.now();
    let isHeld = leftMs > 0;
    const release = (): void => {
      if (isHeld) run.pendingRequests -= 1;
      isHeld = false;
    };
    if (isHeld) run.pendingRequests += 1;
    const timer = setTimeout(() => {
      leftMs = 0;
      release();
    }, leftMs);
    try {
      return await ask(questions, signal);
    } finally {
      clearTimeout(timer);
      release();
      leftMs = Math.max(0, leftMs - (performance.now() - since));
      answered();
    }
  };
}

const fileName = 'asks-the-person';

/**
 * Returns what notes in the run folder of an agent what it asks, so that after a kill it can be said; that returns what
 * takes the question away, while what else is open stays.
 */
function openQuestions(root: string): (questions: readonly AgentQuestion[]) => () => void {
  const open = new Map<symbol, string>();
  const file = join(root, fileName);
  const write = (): void => {
    try {
      if (open.size === 0) rmSync(file, { force: true });
      else replaceFile(file, [...open.values()].join('\n'), 0o600);
    } catch {
      // The disk is full: it is asked all the same.
    }
  };
  return (questions) => {
    const key = Symbol('question');
    open.set(key, redactIfSecret(renderAgentQuestions(questions)));
    write();
    return () => {
      open.delete(key);
      write();
    };
  };
}

/** Reads the unanswered question of a run folder's agent; '': none. */
export function readUnansweredQuestion(root: string): string {
  return readTextOrEmpty(join(root, fileName));
}
