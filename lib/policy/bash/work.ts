import { Refusal } from './refusal.ts';

/** What reading or judging one command may still cost; shared by all of its parts. */
export interface Work {
  /** Throws a Refusal when more is asked for than is left. */
  spend(amount: number): void;
}

// One is a word, in each folder and round of a loop it may be met in; four thousand take some tens of milliseconds.
const mostWork = 4_000;

export function openWork(most = mostWork): Work {
  let left = most;
  return {
    spend(amount) {
      left -= amount;
      if (left < 0) throw new Refusal(tooComplex.rule, tooComplex.details);
    },
  };
}

export const tooComplex = {
  rule: 'command-too-complex',
  details: 'The command has too many parts to be judged: put it into a script, or run it in smaller steps.',
} as const;
