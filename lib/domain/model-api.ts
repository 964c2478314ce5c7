import type { cliProviders } from './config/agent-clis.ts';

/** The languages of the model APIs that agents' CLIs speak: Anthropic's Messages, OpenAI's Responses and Chat Completions, Gemini's generateContent. */
export type DialectName = 'anthropic' | 'responses' | 'chat' | 'gemini';

/** Services of models: each with an address and a credential of its own. */
export type Provider = 'anthropic' | 'openai' | 'google' | 'moonshot' | keyof typeof cliProviders;

/** A model API as an agent's CLI asks for it: below `<address in the cell><prefix>`, as below the provider's own address. */
export interface ModelApi {
  readonly provider: Provider;
  /** '' or `/openai`. */
  readonly prefix: string;
  readonly dialects: readonly DialectName[];
  /** Prefix of its models' names in the configuration, like `openai/`; its API doesn't know that. */
  readonly named?: string;
  /** Of a CLI with several: a model it has, as its API names it. */
  readonly usual?: string;
  /** The family of a small model that the CLI asks by itself. */
  readonly helper?: string;
}
