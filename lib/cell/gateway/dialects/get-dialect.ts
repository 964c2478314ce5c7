import type { DialectName } from '../../../domain/config/agent-clis.ts';
import { anthropicDialect } from './anthropic.ts';
import { openaiChatDialect } from './chat.ts';
import type { Dialect } from './dialect.ts';
import { geminiDialect } from './gemini.ts';
import { openaiResponsesDialect } from './responses.ts';

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
