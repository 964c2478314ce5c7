import type { ObjectId, RefName, SessionId } from '../../domain/ids.ts';
import type { Session } from '../../domain/state/session.ts';
import type { Task } from '../../domain/state/task.ts';
import type { ValidationNote } from '../../domain/state/verdict.ts';
import type { NewObject } from '../../git/objects/make-object.ts';
import type { CatFile } from '../../git/process/cat-file.ts';
import type { RefCommand } from '../../git/refs/ref-transaction.ts';
import type { Note } from '../notes/note.ts';
import type { StoreOptions } from '../store-options.ts';
import { emptyChain, KeptChains } from '../write/kept-chain.ts';
import { archivedRoot, formerRoots, keptRoot, listKept } from '../write/kept-commits.ts';
import type { Publication } from '../write/ref-publisher.ts';
import { unmergedCommits } from '../write/unmerged-commits.ts';
import { keysOf, type SessionNotes } from './archive-notes.ts';

interface Subject {
  readonly id: SessionId;
  readonly session: Session | null;
  readonly tasks: readonly Note<Task>[];
  readonly verdicts: SessionNotes<ValidationNote>;
}

/**
 * Keeps the commits of sessions that are archived alive where the base branch doesn't, and drops the refs that
 * kept them for the time the session was open.
 */
export async function archivedCommits(
  { context, commonDir, objectFormat, catFile }: StoreOptions & { readonly catFile: CatFile },
  subjects: readonly Subject[],
): Promise<Publication> {
  const git = { ...context, cwd: commonDir, variables: { GIT_DIR: commonDir } };
  const chains = new KeptChains(catFile, objectFormat);
  const commands: RefCommand[] = [];
  const objects: NewObject[] = [];
  for (const subject of subjects) {
    const refs = await listKept(git, subject.id);
    const open = await keptBelow(keptRoot, subject.id, { refs, chains });
    const archived = await keptBelow(archivedRoot, subject.id, { refs, chains });
    const named = new Set([...commitsOf(subject), ...open.commits]);
    const tips = await unmergedCommits(git, [...named], subject.session?.base_branch ?? null);
    const longer = await chains.extend(subject.id, archived.chain, [...archived.formerCommits, ...tips]);
    const { ref, chain } = archived;
    objects.push(...longer.objects);
    if (longer.tip !== chain.tip && longer.tip !== null)
      commands.push({ ref, old: refs.get(ref) ?? null, new: longer.tip });
    const gone = [...refs].filter(([name]) => name !== ref);
    commands.push(...gone.map(([name, old]): RefCommand => ({ ref: name, old, new: null })));
  }
  return { commands, objects };
}

async function keptBelow(
  root: string,
  id: SessionId,
  { refs, chains }: { readonly refs: ReadonlyMap<RefName, ObjectId>; readonly chains: KeptChains },
) {
  const ref = `${root}${id}` as RefName;
  const chain = (await chains.read(refs.get(ref) ?? null)) ?? emptyChain;
  const formerRoot = `${formerRoots.get(root)}${id}/`;
  const formerCommits = [...refs].flatMap(([name, oid]) => (name.startsWith(formerRoot) ? [oid] : []));
  return { ref, chain, formerCommits, commits: [...chain.kept, ...formerCommits] };
}

function commitsOf({ id, session, tasks, verdicts }: Subject): readonly ObjectId[] {
  const own = {
    ...verdicts,
    notes: verdicts.notes.filter(({ value }) => value?.verdicts.some((verdict) => verdict.session === id)),
  };
  return [
    ...tasks.flatMap(({ value }) => value?.commit ?? []),
    ...(session?.changesets.map(({ commit }) => commit) ?? []),
    ...keysOf(own),
  ];
}
