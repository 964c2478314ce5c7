import type { JsonRecord } from '../util/json.ts';

/** A tool call as the model made it, in the form of any API. */
export interface ToldCall {
  /** null: the API has none for it. */
  readonly id: string | null;
  readonly name: string;
  /** Text of a tool that takes no JSON, and where the JSON is broken. */
  readonly input: JsonRecord | string;
}

/** The result of a call as a client sent it to a model. */
export interface ToldResult {
  readonly id: string | null;
  /** null: the call isn't in the conversation any more. */
  readonly name: string | null;
  /** Its input; null as the name. */
  readonly input: JsonRecord | string | null;
  readonly text: string;
  /** false also where the API doesn't report errors. */
  readonly isError: boolean;
  /** It may be here for the first time: the model has not answered to it. */
  readonly isNew: boolean;
}
