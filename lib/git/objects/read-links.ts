import type { ObjectId } from '../../domain/ids.ts';
import type { ObjectSource } from './object-source.ts';
import type { CommitLinks } from './only-merge-base.ts';
import { parseCommit } from './parse-commit.ts';

// Commits and trees that are remembered: each is read again and again while works are built one on another.
const mostRemembered = 2_000;

/** What is asked of a commit; null where it can't be read here. */
export type ReadLinks = (commit: ObjectId) => Promise<CommitLinks | null>;

/** Reads commits of the repository, each once. */
export function linksReader(objects: ObjectSource): ReadLinks {
  const commits = new Map<ObjectId, CommitLinks>();
  return async (oid) => commits.get(oid) ?? remember(commits, oid, await readCommitLinks(objects, oid));
}

async function readCommitLinks(objects: ObjectSource, oid: ObjectId): Promise<CommitLinks | null> {
  const object = await objects.read(oid);
  return object?.type === 'commit' ? parseCommit(oid, object.bytes) : null;
}

/** Keeps what was read by its id; the oldest goes where there is too much. Returns it. */
export function remember<T>(known: Map<ObjectId, T>, oid: ObjectId, value: T | null): T | null {
  if (value === null) return null;
  const [oldest] = known.keys();
  if (known.size >= mostRemembered && oldest !== undefined) known.delete(oldest);
  known.set(oid, value);
  return value;
}
