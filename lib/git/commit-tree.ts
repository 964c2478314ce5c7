import { type ObjectId, parseObjectId } from '../domain/ids.ts';
import { type GitContext, gitText } from './run-git.ts';

export interface CommitInit {
  readonly tree: ObjectId;
  readonly parents: readonly ObjectId[];
  readonly message: string;
  /** `Name <email>`; default: the person. */
  readonly author?: string;
}

/** Writes a commit object in the person's name, unsigned: no key may be asked for while agents work. */
export async function commitTree(context: GitContext, init: CommitInit): Promise<ObjectId> {
  const parents = init.parents.flatMap((parent) => ['-p', parent]);
  const settings = ['-c', 'commit.gpgSign=false', '-c', 'i18n.commitEncoding=UTF-8'];
  const text = await gitText(context, [...settings, 'commit-tree', init.tree, ...parents, '-F', '-'], {
    input: init.message,
    env: init.author === undefined ? {} : authorVariables(init.author),
  });
  return parseObjectId(text);
}

function authorVariables(author: string): Record<string, string> {
  const [, name = author, email = ''] = /^(.*?)\s*<([^<>]*)>$/.exec(author.trim()) ?? [];
  return { GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: email };
}
