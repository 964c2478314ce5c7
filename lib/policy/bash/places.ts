import { judgePath } from '../judge-path.ts';
import { resolvePath } from '../resolve-path.ts';
import type { Question } from './bash-question.ts';
import { Refusal } from './refusal.ts';
import { currentFolder, type SimpleCommand } from './syntax.ts';

/** The folders a command may be in afterwards, depending on how it ended. */
export interface Places {
  readonly passed: readonly string[];
  readonly failed: readonly string[];
}

/** The command with the folder it runs in where `$PWD` stands. */
export function inFolder(command: SimpleCommand, cwd: string): SimpleCommand {
  const put = (text: string): string => text.replaceAll(currentFolder, cwd);
  return {
    ...command,
    words: command.words.map((word) => ({ ...word, text: put(word.text) })),
    redirections: command.redirections.map((one) => ({ ...one, target: put(one.target) })),
  };
}

/** `cd` goes to one plain folder of the worktree; a folder reached by a symlink has two parents, so it's refused. */
export function placeAfter(question: Question, command: SimpleCommand, cwd: string): string {
  const operands = inFolder(command, cwd)
    .words.slice(1)
    .filter((word) => word.text !== '--');
  const [folder, ...others] = operands;
  if (
    folder === undefined ||
    others.length > 0 ||
    folder.isGlob ||
    /^-/.test(folder.text) ||
    folder.text === ''
  ) {
    throw new Refusal('bash-directory', 'Write `cd FOLDER && …` with one folder of the worktree.');
  }
  const { policy, facts } = question;
  const found = resolvePath({
    path: folder.text,
    cwd,
    worktree: policy.worktree,
    extra: policy.extra_writable ?? [],
    facts,
  });
  const refused = 'rule' in found ? found : judgePath({ policy, facts, cwd }, folder.text, 'read');
  if ('rule' in found || refused !== null)
    throw new Refusal('bash-directory', refused?.details ?? `${folder.text} is out of bounds.`);
  if (found.lexical !== found.resolved) {
    throw new Refusal(
      'bash-directory',
      `${folder.text} is a symlink; from there \`..\` is ambiguous. Go to ${found.resolved || '.'} instead.`,
    );
  }
  if (found.kind === 'extra') return found.resolved;
  return found.resolved === '' ? policy.worktree : `${policy.worktree}/${found.resolved}`;
}

/** Every folder it may be in. */
export function flat(places: Places): readonly string[] {
  return union(places.passed, places.failed);
}

/** Each once. */
export function union(a: readonly string[], b: readonly string[]): readonly string[] {
  return [...new Set([...a, ...b])];
}
