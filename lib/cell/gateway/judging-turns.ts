/**
 * Runs one judgement after another, because a single thread judges for all agents and relays their requests
 * to the models: each agent that waits has its turn, however much another one asks, and between two turns
 * everything else continues. An agent that used much of that thread waits until its time has grown again; the
 * others go before it.
 */
interface JudgingTurns {
  /** Has a judgement made when its turn comes; false: too many of this agent wait already, and it never will be. */
  ask(agent: object, judge: () => void): boolean;
}

interface JudgingClock {
  /** In milliseconds. */
  now(): number;
  /** Runs a step after so many milliseconds, 0: as soon as everything else had its turn. Returns what calls it off. */
  later(step: () => void, ms: number): () => void;
}

const realClock: JudgingClock = {
  now: () => performance.now(),
  later(step, ms) {
    if (ms === 0) {
      const soon = setImmediate(step);
      return () => clearImmediate(soon);
    }
    const timer = setTimeout(step, ms);
    return () => clearTimeout(timer);
  },
};

// A client asks once for each call, and agents make a handful of calls at once.
const mostWaiting = 32;
// Milliseconds of judging at once, some hundred usual calls; and what comes back in each millisecond.
const mostTime = 500;
const regrowth = 0.25;

export function openJudgingTurns(clock: JudgingClock = realClock): JudgingTurns {
  // In the order of their turns: who was served goes to the end.
  const queues = new Map<object, (() => void)[]>();
  const accounts = openAccounts();
  let next: { readonly callOff: () => void; readonly isRest: boolean } | null = null;
  const plan = (ms: number): void => {
    next = { callOff: clock.later(step, ms), isRest: ms > 0 };
  };
  const step = (): void => {
    next = null;
    const now = clock.now();
    const served = [...queues].find(([agent]) => accounts.waitOf(agent, now) === 0);
    if (served !== undefined) serve(...served);
    else if (queues.size > 0)
      plan(Math.ceil(Math.min(...[...queues.keys()].map((agent) => accounts.waitOf(agent, now)))));
  };
  const serve = (agent: object, waiting: (() => void)[]): void => {
    const judge = waiting.shift();
    queues.delete(agent);
    if (waiting.length > 0) queues.set(agent, waiting);
    const began = clock.now();
    plan(0);
    try {
      judge?.();
    } finally {
      accounts.charge(agent, began, clock.now());
    }
  };
  return {
    ask(agent, judge) {
      const waiting = queues.get(agent) ?? [];
      if (waiting.length >= mostWaiting) return false;
      waiting.push(judge);
      queues.set(agent, waiting);
      if (next?.isRest === false) return true;
      next?.callOff();
      plan(0);
      return true;
    },
  };
}

interface Accounts {
  /** How long until an agent has time left, in milliseconds. */
  waitOf(agent: object, now: number): number;
  charge(agent: object, began: number, ended: number): void;
}

function openAccounts(): Accounts {
  const known = new WeakMap<object, { readonly left: number; readonly at: number }>();
  const leftOf = (agent: object, now: number): number => {
    const { left, at } = known.get(agent) ?? { left: mostTime, at: now };
    return Math.min(mostTime, left + (now - at) * regrowth);
  };
  return {
    waitOf: (agent, now) => Math.max(0, -leftOf(agent, now)) / regrowth,
    charge: (agent, began, ended) =>
      void known.set(agent, { left: leftOf(agent, began) - (ended - began), at: ended }),
  };
}
