import type { EndFacts } from '../domain/ports/adapter.ts';
import { blockedEnd } from './blocked-end.ts';

/** Claude Code's `Stop` hook. */
export const claudeEnd: EndFacts = blockedEnd('last_assistant_message');
