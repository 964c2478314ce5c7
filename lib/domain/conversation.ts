import type { JsonRecord } from '../util/json-record.ts';

/** A tool call as the model made it, whatever the API says it in. */
export interface ToldCall {
  /** null: the API has none for it. */
  readonly id: string | null;
  readonly name: string;
  /** Text of a tool that takes no JSON, and where the JSON is broken. */
  readonly input: JsonRecord | string;
}

/** What a client told a model of a call. */
export interface ToldResult {
  readonly id: string | null;
  /** null: the call isn't in the conversation any more. */
  readonly name: string | null;
  /** What it was called with; null as the name. */
  readonly input: JsonRecord | string | null;
  readonly text: string;
  /** false also where the API has no word for it. */
  readonly isError: boolean;
  /** It may be here for the first time: the model has not answered to it. */
  readonly isNew: boolean;
}
