import type { ToolAnnotations } from '@modelcontextprotocol/server';
import type * as z from 'zod';
import type { LeadTool } from '../../domain/lead-tools.ts';
import type { Desk } from './desk.ts';
import type { OutputOf, outputs } from './outputs.ts';

/** What a call brings beside its input. */
export interface CallContext {
  /** Aborts when the client takes the call back, or is gone. */
  readonly signal: AbortSignal;
  /**
   * What the person said in the form of their client, where one was shown; null: nothing was asked yet, or nobody
   * answered.
   */
  said(key: string): unknown;
  /** Whether the client can show a form to its person. */
  readonly hasForms: boolean;
}

/** A question to the person in front of the client; once it is answered the call comes again. */
export interface FormQuestion {
  readonly ask: { readonly key: string; readonly message: string };
}

/** What a tool says: a value that is shown as JSON, or a question to the person first. */
export type ToolAnswer<Name extends LeadTool = LeadTool> = OutputOf<Name> | FormQuestion;

/** One tool: what clients are told of it, and what it does. */
export interface Tool<Input extends z.ZodObject = z.ZodObject, Name extends LeadTool = LeadTool> {
  readonly name: Name;
  readonly description: string;
  readonly input: Input;
  readonly output: (typeof outputs)[Name];
  readonly annotations: ToolAnnotations;
  /** What a call is about, in a few words for the person's log. */
  about(input: z.output<Input>): string;
  /** Throws FlameErrors. */
  run(desk: Desk, input: z.output<Input>, call: CallContext): Promise<ToolAnswer<Name>>;
}

/** A tool that looks and changes nothing. */
export const looks: ToolAnnotations = { readOnlyHint: true, openWorldHint: false };
/** A tool that can be called twice with the same words. */
export const acts: ToolAnnotations = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};
/** A tool that ends something. */
export const ends: ToolAnnotations = { ...acts, destructiveHint: true };

export function defineTool<Input extends z.ZodObject, Name extends LeadTool>(
  tool: Tool<Input, Name>,
): Tool<Input, Name> {
  return tool;
}

export function isQuestion(answer: ToolAnswer): answer is FormQuestion {
  return 'ask' in answer;
}
