import type { Repository } from '../../domain/ports/git-port.ts';
import type { Io } from '../../domain/view-models/command.ts';
import { findStartingAgent } from '../../trust/chat-processes.ts';
import { requirePersonNotChat } from '../../trust/decisions/open-decision-log.ts';

/** Subject of the error where a chat's model, which has the person's shell, decides what may run. */
export const trustErrorSubject = "What this repository's files may run";

/**
 * Throws FlameError `typed-in-chat` where the command was typed in a chat's shell: only a person may decide `word`, the
 * subject of the error's sentence.
 */
export function requireTypedByPerson(word: string, { commonDir }: Pick<Repository, 'commonDir'>, { env }: Io): void {
  requirePersonNotChat(word, () => findStartingAgent({ commonDir, env }));
}

/** For a page: why a process that knows its address can't decide there; see PageServerOptions. */
export function explainPageRefusal(
  { commonDir }: Pick<Repository, 'commonDir'>,
  { env }: Io,
): (pid: number) => string | null {
  return (pid) => {
    const agent = findStartingAgent({ commonDir, env, pid });
    return agent === null ? null : `Only a person may decide this, and this answer was sent by ${agent}.`;
  };
}
