/**
 * One judgement after another, for one thread judges for all agents and relays what they ask their models: each agent that
 * waits has its turn, however much another one asks, and between two turns everything else goes on.
 */
export interface JudgingTurns {
  /** Has a judgement made when its turn comes; false: too many of this agent wait already, and it never will be. */
  ask(agent: object, judge: () => void): boolean;
}

// A client asks once for each call, and agents make a handful of calls at once.
const mostWaiting = 32;

export function openJudgingTurns(later: (step: () => void) => void = setImmediate): JudgingTurns {
  // In the order of their turns: who was served goes to the end.
  const queues = new Map<object, (() => void)[]>();
  let isRunning = false;
  const step = (): void => {
    const [next] = queues;
    if (next === undefined) {
      isRunning = false;
      return;
    }
    const [agent, waiting] = next;
    const judge = waiting.shift();
    queues.delete(agent);
    if (waiting.length > 0) queues.set(agent, waiting);
    later(step);
    judge?.();
  };
  return {
    ask(agent, judge) {
      const waiting = queues.get(agent) ?? [];
      if (waiting.length >= mostWaiting) return false;
      waiting.push(judge);
      queues.set(agent, waiting);
      if (!isRunning) {
        isRunning = true;
        later(step);
      }
      return true;
    },
  };
}
