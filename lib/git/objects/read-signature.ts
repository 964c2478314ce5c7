import type { Ident, Idents } from '../process/read-identity.ts';
import type { GitContext } from '../process/run-git.ts';
import type { ObjectSettings } from './object-file.ts';
import { readObjectSettings } from './object-settings.ts';

/** What a commit made in the person's name needs beside its content; the same for a whole run. */
export interface Signature {
  readonly author: Ident;
  readonly committer: Ident;
  /** How its object is written. */
  readonly loose: ObjectSettings;
}

/** Asks git. Throws as readIdent. */
export async function readSignature(
  context: GitContext,
  idents: Idents,
  commonDir: string,
): Promise<Signature> {
  const [author, committer, loose] = await Promise.all([
    idents.author(),
    idents.committer(),
    readObjectSettings(context, commonDir),
  ]);
  return { author, committer, loose };
}
