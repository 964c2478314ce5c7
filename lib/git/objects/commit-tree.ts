import type { ObjectId } from '../../domain/ids.ts';
import type { CommitRequest } from '../../domain/ports/git-commits.ts';
import type { Ident } from '../process/read-identity.ts';
import type { GitAccess } from './git-access.ts';
import { writeLooseObject } from './loose-object.ts';
import { makeObject } from './make-object.ts';

/**
 * Writes a commit object in the person's name into an object folder, as `git commit-tree` would: unsigned, since no
 * key may be asked for while agents work, and in UTF-8. Throws as readIdent.
 */
export async function commitTree(
  access: GitAccess,
  objectDir: string,
  init: CommitRequest,
): Promise<ObjectId> {
  const { author, committer, loose } = await access.signature();
  const by = init.author === undefined ? author : { ...author, name: cleanName(init.author) };
  const lines = [
    `tree ${init.tree}`,
    ...[...new Set(init.parents)].map((parent) => `parent ${parent}`),
    `author ${sign({ ...by, time: init.authored ?? by.time })}`,
    `committer ${sign(committer)}`,
    '',
    init.message.endsWith('\n') ? init.message : `${init.message}\n`,
  ];
  const commit = makeObject(access.repository.objectFormat, 'commit', lines.join('\n'));
  writeLooseObject(objectDir, commit, loose);
  return commit.oid;
}

function sign({ name, time, zone }: Ident): string {
  return `${name} ${time ?? Math.floor(Date.now() / 1_000)} ${zone}`;
}

/** Without what would end a name or an address early. */
function cleanName(author: string): string {
  const [, name = author, email = ''] = /^(.*?)\s*<([^<>]*)>$/.exec(author.trim()) ?? [];
  const clean = (text: string): string => text.replace(/[\p{Cc}<>]+/gu, '').trim();
  return `${clean(name)} <${clean(email)}>`;
}
