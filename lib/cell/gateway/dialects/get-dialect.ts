import type { DialectName } from '../../../domain/config/known-clis.ts';
import { anthropicDialect } from './anthropic.ts';
import type { Dialect } from './dialect.ts';
import { geminiDialect } from './gemini.ts';
import { openaiChatDialect } from './openai-chat.ts';
import { openaiResponsesDialect } from './openai-responses.ts';

const dialects: Readonly<Record<DialectName, Dialect>> = {
  anthropic: anthropicDialect,
  responses: openaiResponsesDialect,
  chat: openaiChatDialect,
  gemini: geminiDialect,
};

/** The dialect of that name. */
export function getDialect(name: DialectName): Dialect {
  return dialects[name];
}
