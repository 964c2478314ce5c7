import type { DialectName } from '../../../domain/config/agent-clis.ts';
import { anthropic } from './anthropic.ts';
import { chat } from './chat.ts';
import type { Dialect } from './dialect.ts';
import { gemini } from './gemini.ts';
import { responses } from './responses.ts';

const dialects: Readonly<Record<DialectName, Dialect>> = { anthropic, responses, chat, gemini };

/** The dialect of that name. */
export function getDialect(name: DialectName): Dialect {
  return dialects[name];
}
