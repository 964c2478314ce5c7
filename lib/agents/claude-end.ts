import type { EndFacts } from '../domain/ports/call-facts.ts';
import { blockedEnd } from './blocked-end.ts';

/** Claude Code's `Stop` hook. */
export const claudeEnd: EndFacts = blockedEnd('last_assistant_message');
