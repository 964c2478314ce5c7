import type { Mark, PromptText } from './dialects/dialect.ts';
import { boundTokens } from './token-bound.ts';

/** How many input tokens a request comes to, rather too many than too few. */
export interface PromptEstimate {
  /** Of them, what answered requests have put into the API's cache where this one looks for it. */
  readonly cached: number;
  readonly fresh: number;
}

/** Learns from an agent's answered requests about its next ones, which mostly begin as they did. */
export interface PromptHistory {
  estimate(prompt: Prompt, now: number): PromptEstimate;
  /** A request was answered: to how many input tokens it came, and how many of them went through the cache. */
  learn(
    prompt: Prompt,
    told: { readonly tokens: number; readonly cached: number; readonly at: number },
  ): void;
}

/** The part of a request that the model reads. */
export interface Prompt extends PromptText {
  readonly model: string;
}

/** How long the API keeps what has no longer lifetime requested. */
const cacheMs = 5 * 60_000;
/** From each mark the API looks back so many blocks for what it has kept. */
const mostLookedBack = 20;
const keptPrompts = 4;
const largestKept = 4_000_000;

interface Answered {
  readonly prompt: Prompt;
  readonly tokens: number;
  readonly cached: number;
  readonly at: number;
}

export function openPromptHistory(): PromptHistory {
  const known: Answered[] = [];
  return {
    estimate(prompt, now) {
      const alike = known
        .filter(({ prompt: { model } }) => model === prompt.model)
        .map((one) => ({ ...one, shared: sharedLength(one.prompt.text, prompt.text) }))
        .sort((a, b) => b.shared - a.shared);
      const [best] = alike;
      if (best === undefined || best.shared === 0)
        return { cached: 0, fresh: boundTokens(prompt.text) + prompt.extra };
      // Images count as much as they did.
      const before = Math.ceil((best.tokens * best.shared) / best.prompt.text.length);
      const added =
        boundTokens(prompt.text.slice(best.shared)) + Math.max(0, prompt.extra - best.prompt.extra);
      const kept = alike.filter(({ at }) => now - at <= cacheMs).map((one) => foundInCache(one, prompt));
      const cached = Math.min(before, Math.max(0, ...kept));
      return { cached, fresh: before - cached + added };
    },
    learn(prompt, told) {
      if (prompt.text.length > largestKept) return;
      // An answer reports its input more than once.
      if (known[0]?.prompt === prompt) known.shift();
      known.unshift({ prompt, ...told });
      known.length = Math.min(known.length, keptPrompts);
    },
  };
}

/** How many tokens of a prompt the API finds in what it kept of an earlier one, rather too few than too many. */
function foundInCache(
  { prompt: earlier, cached, shared }: Answered & { readonly shared: number },
  prompt: Prompt,
): number {
  const isFound = ({ end, block }: Mark): boolean =>
    end <= shared && prompt.marks.some((mark) => mark.block >= block && mark.block - block <= mostLookedBack);
  const [found, last] = [earlier.marks.findLast(isFound), earlier.marks.at(-1)];
  return found === undefined || last === undefined ? 0 : Math.floor((cached * found.end) / last.end);
}

function sharedLength(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  let at = 0;
  while (at < most && a.charCodeAt(at) === b.charCodeAt(at)) at += 1;
  return at;
}
