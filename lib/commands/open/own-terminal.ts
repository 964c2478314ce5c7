import type { Repository } from '../../domain/ports/git-port.ts';
import type { Io } from '../../domain/shown/io.ts';
import { chatAround } from '../../trust/chats.ts';
import { requireOwnTerminal } from '../../trust/decisions/require-human.ts';

/** What runs here is no word of a chat's model, which has the person's shell. */
export const trustWord = "What this repository's files may run";

/**
 * Throws FlameError `typed-in-chat` where a chat's shell is where the command was typed: what it decides, as the
 * subject of a sentence, is a person's word.
 */
export function requireOwn(word: string, { commonDir }: Pick<Repository, 'commonDir'>, { env }: Io): void {
  requireOwnTerminal(word, () => chatAround({ commonDir, env }));
}

/** For a page: why a process, which may know its address, can't decide there; see ServeOptions. */
export function strangerOnPage(
  { commonDir }: Pick<Repository, 'commonDir'>,
  { env }: Io,
): (pid: number) => string | null {
  return (pid) => {
    const agent = chatAround({ commonDir, env, pid });
    return agent === null
      ? null
      : `What is decided here is a person's to decide, and this was sent by ${agent}.`;
  };
}
