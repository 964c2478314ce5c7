import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { type AgentQuestion, questionWords } from '../../domain/agent-talk.ts';
import { withoutSecret } from '../../policy/secrets/secrets.ts';
import { readTextOrEmpty } from '../../util/read-file.ts';
import { replaceFile } from '../../util/write-files.ts';

const fileName = 'asks-the-person';

/** Notes in the run folder of an agent what it asks, so that after a kill it can be said. */
export interface OpenQuestions {
  /** Returns what takes that question away; what else is open stays. */
  note(questions: readonly AgentQuestion[]): () => void;
}

export function openQuestions(root: string): OpenQuestions {
  const open = new Map<symbol, string>();
  const file = join(root, fileName);
  const write = (): void => {
    try {
      if (open.size === 0) rmSync(file, { force: true });
      else replaceFile(file, [...open.values()].join('\n'), 0o600);
    } catch {
      // The disk is full: it is asked all the same.
    }
  };
  return {
    note(questions) {
      const key = Symbol('question');
      open.set(key, withoutSecret(questionWords(questions)));
      write();
      return () => {
        open.delete(key);
        write();
      };
    },
  };
}

/** Reads the unanswered question of a run folder's agent; '': none. */
export function unansweredIn(root: string): string {
  return readTextOrEmpty(join(root, fileName));
}
