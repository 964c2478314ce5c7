import { mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import type { SessionId } from '../../domain/ids.ts';
import type { AnswerKeeper } from '../../ui/questions/kept-answers.ts';
import { cloneStateDir } from '../../util/own-folders.ts';
import { readTextOrEmpty } from '../../util/read-file.ts';
import { replaceFile } from '../../util/write-files.ts';

const keptAnswerSchema = z.strictObject({
  print: z.string(),
  answer: z.unknown(),
  where: z.enum(['board', 'command']),
});

interface AnswersPlace {
  readonly commonDir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** In the user's own state, beside what was decided in this clone: no agent and no sync can write there. */
export function keepAnswers({ commonDir, env }: AnswersPlace): AnswerKeeper {
  const fileOf = (session: SessionId): string =>
    join(cloneStateDir(env, commonDir), 'answers', `${session}.json`);
  return {
    read: (session) => {
      try {
        return keptAnswerSchema.parse(JSON.parse(readTextOrEmpty(fileOf(session))));
      } catch {
        return null;
      }
    },
    write: (session, kept) => {
      try {
        const file = fileOf(session);
        mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
        replaceFile(file, JSON.stringify(kept), 0o600);
      } catch {
        // The disk is full: the answer counts all the same.
      }
    },
    clear: (session) => rmSync(fileOf(session), { force: true }),
  };
}
