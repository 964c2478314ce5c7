import { createHash } from 'node:crypto';
import { isRecord, type JsonRecord } from '../../util/json-record.ts';

/** How many input tokens a request comes to, rather too many than too few. */
export interface PromptEstimate {
  /** Of them, what an answered request has put into the API's cache. */
  readonly cached: number;
  readonly fresh: number;
}

/** What an agent's answered requests reveal about its next ones, which mostly begin as they did. */
export interface PromptHistory {
  estimate(prompt: Prompt, now: number): PromptEstimate;
  /** A request was answered: it came to so many input tokens, and whether any of them went through the cache. */
  learn(
    prompt: Prompt,
    told: { readonly tokens: number; readonly isCached: boolean; readonly at: number },
  ): void;
}

/** What of a request the model reads. */
export interface Prompt {
  readonly model: string;
  /** In the order the API caches it; the content of images is in it as a hash. */
  readonly text: string;
  /** Tokens of images and documents, beside the text. */
  readonly extra: number;
}

// Of plain English it is four, of dense code with the newest tokenizer less than three.
const bytesPerToken = 2.5;
// The largest image, scaled as the API does it.
const tokensPerImage = 5_000;
const bytesPerDocumentToken = 4;
/** How long the API keeps what has no longer lifetime requested. */
const cacheMs = 5 * 60_000;
const keptPrompts = 4;
const largestKept = 4_000_000;

export function readPrompt(request: JsonRecord): Prompt {
  let extra = 0;
  const { tools, system, messages, model } = request;
  const plain = (_key: string, value: unknown): unknown => {
    if (!isRecord(value)) return value;
    // Cache marks move on from request to request.
    const { cache_control: _mark, ...rest } = value;
    if (value.type !== 'base64' || typeof value.data !== 'string') return rest;
    const isImage = `${value.media_type}`.startsWith('image/');
    extra += isImage ? tokensPerImage : Math.ceil(value.data.length / bytesPerDocumentToken);
    return { ...rest, data: createHash('sha1').update(value.data).digest('hex') };
  };
  const text = [tools, system, messages].map((part) => JSON.stringify(part, plain) ?? '').join('\n');
  return { model: typeof model === 'string' ? model : '', text, extra };
}

export function openPromptHistory(): PromptHistory {
  const known: { prompt: Prompt; tokens: number; isCached: boolean; at: number }[] = [];
  return {
    estimate(prompt, now) {
      const all = estimateTokens(prompt.text) + prompt.extra;
      const best = known
        .filter(({ prompt: { model } }) => model === prompt.model)
        .map((one) => ({ ...one, shared: sharedLength(one.prompt.text, prompt.text) }))
        .sort((a, b) => b.shared - a.shared)[0];
      if (best === undefined || best.shared === 0) return { cached: 0, fresh: all };
      // Images count as much as they did.
      const share = best.shared / best.prompt.text.length;
      const before = Math.ceil(best.tokens * share);
      const added = estimateTokens(prompt.text.slice(best.shared));
      const fresh = added + Math.max(0, prompt.extra - best.prompt.extra);
      const isFresh = !best.isCached || now - best.at > cacheMs;
      return isFresh ? { cached: 0, fresh: before + fresh } : { cached: before, fresh };
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

function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / bytesPerToken);
}

function sharedLength(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  let at = 0;
  while (at < most && a.charCodeAt(at) === b.charCodeAt(at)) at += 1;
  return at;
}
