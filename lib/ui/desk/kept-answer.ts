import * as z from 'zod';
import type { SessionId } from '../../domain/ids.ts';

/** An answer that was taken and may not be applied yet: whoever asks exactly that again needn't be answered twice. */
export const keptAnswerSchema = z.strictObject({
  /** The digest of all that was asked about, and of where its session stood: once it is applied, no question has it. */
  print: z.string(),
  answer: z.unknown(),
  where: z.enum(['board', 'command']),
});
export type KeptAnswer = Readonly<z.infer<typeof keptAnswerSchema>>;

/** Where one is kept beyond this process. What can't be kept is only as safe as the process. */
export interface AnswerKeeper {
  read(session: SessionId): KeptAnswer | null;
  write(session: SessionId, kept: KeptAnswer): void;
  clear(session: SessionId): void;
}

export const keepsNothing: AnswerKeeper = {
  read: () => null,
  write: () => undefined,
  clear: () => undefined,
};
