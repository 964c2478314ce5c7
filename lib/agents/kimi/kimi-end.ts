import type { EndFacts } from '../../domain/ports/call-facts.ts';

/** Its `Stop` hook reports no last words, and reads an answer as that of any hook: to deny is to deny the end. */
export const kimiEnd: EndFacts = {
  words: () => '',
  goOn: (told) =>
    JSON.stringify({ hookSpecificOutput: { permissionDecision: 'deny', permissionDecisionReason: told } }),
};
