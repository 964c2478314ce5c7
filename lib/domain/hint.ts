/** A person's message to an agent at work. */
export interface Hint {
  readonly id: string;
  /** Its author. */
  readonly by: string;
  readonly at: string;
  readonly text: string;
}

/**
 * A hint's state. `seen`: the model answered a request that held it. `followed`: what the agent did right after that.
 * `missed`: the agent has ended, and no model got it.
 */
export type HintState = (typeof hintStates)[number];

export const hintStates = ['seen', 'followed', 'missed'] as const;

export interface HintNews {
  readonly hint: Hint;
  readonly state: HintState;
  /** `followed`: names of the tools it called next. */
  readonly next: readonly string[];
}

/** Characters of one hint, and hints to one agent. */
export const longestHint = 4_000;
export const mostHints = 20;

/** Why an agent takes no hint, as the end of a sentence. */
export const hintRefusals = {
  'no-agent': 'it does not run here any more',
  'no-model': 'it asks no model',
  'too-many': `${mostHints} hints were left for it already`,
  'too-long': `a hint has at most ${longestHint} characters`,
} as const;
