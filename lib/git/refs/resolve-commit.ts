import { type ObjectId, parseObjectId, type RefName } from '../../domain/ids.ts';
import type { HeadState } from '../../domain/ports/git-port.ts';
import type { CatFile } from '../process/cat-file.ts';
import { type GitContext, runGitForText } from '../process/run-git.ts';
import { UnmovedRefsCheck } from './unmoved-refs-check.ts';

interface Known {
  readonly tip: ObjectId;
  readonly files: UnmovedRefsCheck;
}

/** Which commits refs name, asked again only once git's own files don't show that a ref stands where it stood. */
export class RefCommitCache {
  readonly #commonDir: string;
  readonly #ask: (ref: RefName) => Promise<ObjectId | null>;
  readonly #known = new Map<RefName, Known>();

  constructor(commonDir: string, ask: (ref: RefName) => Promise<ObjectId | null>) {
    this.#commonDir = commonDir;
    this.#ask = ask;
  }

  /** null: there is no such ref, or it leads to no commit. */
  async resolveRef(ref: RefName): Promise<ObjectId | null> {
    const known = this.#known.get(ref);
    if (known?.files.areUnmoved(new Map([[ref, known.tip]]))) return known.tip;
    const files = known?.files ?? new UnmovedRefsCheck(this.#commonDir);
    const note = files.begin([ref]);
    const tip = await this.#ask(ref);
    note(new Map([[ref, tip]]));
    if (tip === null) this.#known.delete(ref);
    else this.#known.set(ref, { tip, files });
    return tip;
  }
}

/** The branch and commit checked out in a work tree. */
export async function readHead(context: GitContext): Promise<HeadState> {
  const [ref, commit] = await Promise.all([
    runGitForText(context, ['symbolic-ref', '--quiet', 'HEAD'], { accept: [0, 1] }),
    resolveCommit(context, 'HEAD'),
  ]);
  return { branch: ref === '' ? null : ref.replace(/^refs\/heads\//, ''), commit };
}

// A ref that all work trees share, spelt so that it's nothing but a name.
const plainRef = /^refs\/(?:heads|tags|blueflame)\/[\w./-]+$/;
const plainId = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/**
 * The commit a revision names where git stands; null if it names none. Plain refs and whole ids are asked of those
 * that `known` has open.
 */
export async function resolveCommit(
  context: GitContext,
  revision: string,
  known?: { readonly refs: RefCommitCache; readonly objects: CatFile },
): Promise<ObjectId | null> {
  if (known !== undefined && plainRef.test(revision)) return known.refs.resolveRef(revision as RefName);
  if (known !== undefined && plainId.test(revision))
    return (await known.objects.info(`${revision}^{commit}`))?.oid ?? null;
  const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`];
  const text = await runGitForText(context, args, { accept: [0, 1, 128] });
  return /^[0-9a-f]+$/.test(text) ? parseObjectId(text) : null;
}
