/** Token counts as the Messages API reports them with a response. */
export interface TokenUsage {
  readonly input_tokens?: number | null;
  readonly output_tokens?: number | null;
  readonly cache_creation_input_tokens?: number | null;
  readonly cache_read_input_tokens?: number | null;
  /** How long what was written to the cache is kept. */
  readonly cache_creation?: { readonly ephemeral_1h_input_tokens?: number | null } | null;
  readonly server_tool_use?: { readonly web_search_requests?: number | null } | null;
  readonly inference_geo?: string | null;
  readonly speed?: string | null;
}

/**
 * Tokens that count against a limit: all input, cached or not, and all output. One formula, so that the
 * gateway, the event stream and the final result agree.
 */
export function countTokens(usage: TokenUsage): number {
  return (
    (usage.input_tokens ?? 0) +
    (usage.output_tokens ?? 0) +
    (usage.cache_creation_input_tokens ?? 0) +
    (usage.cache_read_input_tokens ?? 0)
  );
}
