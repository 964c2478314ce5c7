import type { EndFacts } from '../../domain/ports/call-facts.ts';

/** Its `Stop` hook tells no last words, and reads an answer as that of any other hook: what is denied is the end. */
export const kimiEnd: EndFacts = {
  words: () => '',
  goOn: (told) =>
    JSON.stringify({ hookSpecificOutput: { permissionDecision: 'deny', permissionDecisionReason: told } }),
};
