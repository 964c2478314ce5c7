import type { ObjectId, SessionId } from '../../domain/ids.ts';
import { makeUnwrittenObject, type ObjectHashFormat, type UnwrittenObject } from '../../git/objects/make-object.ts';
import type { CatFile } from '../../git/process/cat-file.ts';
import { type GitContext, runGitForLines } from '../../git/process/run-git.ts';

/** The links one ref leads to: each keeps commits as its parents, beside the link before it. */
export interface KeptCommitChain {
  readonly tip: ObjectId | null;
  readonly links: ReadonlySet<ObjectId>;
  readonly kept: ReadonlySet<ObjectId>;
}

/** A chain that goes on, its new links not yet written. */
export interface ExtendedCommitChain {
  readonly tip: ObjectId | null;
  readonly objects: readonly UnwrittenObject[];
}

interface Link {
  readonly previous: ObjectId | null;
  readonly kept: readonly ObjectId[];
  /** Seconds since 1970. */
  readonly date: number;
}

export const emptyCommitChain: KeptCommitChain = { tip: null, links: new Set(), kept: new Set() };

// Not the person's: clones that keep the same commits write the same link, as with merges of state.
const keeper = 'git flame sync <git-flame@localhost>';
// A commit of thousands of parents is more than some hosts take.
const mostParents = 100;

/** Reads chains and makes them longer. What was read once is remembered: a name never means another link. */
export class KeptCommitChains {
  readonly #catFile: CatFile;
  readonly #objectFormat: ObjectHashFormat;
  readonly #links = new Map<ObjectId, Link>();

  constructor(catFile: CatFile, objectFormat: ObjectHashFormat) {
    this.#catFile = catFile;
    this.#objectFormat = objectFormat;
  }

  /** Reads the commits a ref keeps; a commit that is no link is kept itself. null: the ref leads to no commit. */
  async read(tip: ObjectId | null): Promise<KeptCommitChain | null> {
    if (tip === null) return emptyCommitChain;
    if (!this.#links.has(tip) && (await this.#catFile.info(tip))?.type !== 'commit') return null;
    const links = new Set<ObjectId>();
    const kept = new Set<ObjectId>();
    for (let at: ObjectId | null = tip; at !== null; ) {
      const link = await this.#linkAt(at);
      if (link === null) {
        kept.add(at);
        break;
      }
      links.add(at);
      for (const commit of link.kept) kept.add(commit);
      at = link.previous;
    }
    return { tip, links, kept };
  }

  /** The chain with links on top that keep what it lacks of these commits, all of which are there. */
  async extend(session: SessionId, chain: KeptCommitChain, commits: Iterable<ObjectId>): Promise<ExtendedCommitChain> {
    const missing = [...new Set(commits)].filter((commit) => !chain.kept.has(commit)).sort();
    const objects: UnwrittenObject[] = [];
    let { tip } = chain;
    for (let first = 0; first < missing.length; first += mostParents) {
      const kept = missing.slice(first, first + mostParents);
      const parents = tip === null ? kept : [tip, ...kept];
      const date = Math.max(...(await Promise.all(parents.map((parent) => this.#dateOf(parent)))));
      const tree = makeUnwrittenObject(this.#objectFormat, 'tree', '');
      const text = renderLink({ session, tree: tree.oid, parents, previous: tip, date });
      const link = makeUnwrittenObject(this.#objectFormat, 'commit', text);
      this.#links.set(link.oid, { previous: tip, kept, date });
      objects.push(tree, link);
      tip = link.oid;
    }
    return { tip, objects };
  }

  async #linkAt(oid: ObjectId): Promise<Link | null> {
    const known = this.#links.get(oid);
    if (known !== undefined) return known;
    const link = parseLink(await this.#textOf(oid));
    if (link !== null) this.#links.set(oid, link);
    return link;
  }

  async #dateOf(oid: ObjectId): Promise<number> {
    return this.#links.get(oid)?.date ?? dateIn(await this.#textOf(oid));
  }

  async #textOf(oid: ObjectId): Promise<string> {
    const object = await this.#catFile.read(oid);
    return object?.type === 'commit' ? object.bytes.toString('latin1') : '';
  }
}

interface LinkText {
  readonly session: SessionId;
  readonly tree: ObjectId;
  readonly parents: readonly ObjectId[];
  readonly previous: ObjectId | null;
  readonly date: number;
}

/** A link; its bytes follow from its parents alone. */
function renderLink({ session, tree, parents, previous, date }: LinkText): string {
  const trailers = [`Session: ${session}`, ...(previous === null ? [] : [`Previous: ${previous}`])];
  return [
    `tree ${tree}`,
    ...parents.map((parent) => `parent ${parent}`),
    `author ${keeper} ${date} +0000`,
    `committer ${keeper} ${date} +0000`,
    '',
    `${linkSubject}${session}\n\n${trailers.join('\n')}\n`,
  ].join('\n');
}

const linkSubject = 'kept commits of ';

/** null: the commit is no link. */
function parseLink(text: string): Link | null {
  const [header = '', subject = '', trailers = ''] = text.split('\n\n');
  if (!subject.startsWith(linkSubject)) return null;
  const parents = [...header.matchAll(/^parent ([0-9a-f]+)$/gm)].map(([, parent = '']) => parent as ObjectId);
  const [, previous = null] = trailers.match(/^Previous: ([0-9a-f]+)$/m) ?? [];
  const [first, ...others] = parents;
  return first !== undefined && first === previous
    ? { previous: first, kept: others, date: dateIn(text) }
    : { previous: null, kept: parents, date: dateIn(text) };
}

function dateIn(text: string): number {
  return Number(/^committer .*> (\d{1,11}) [+-]\d{4}$/m.exec(text)?.[1] ?? 0);
}

/** Those commits that exist and that neither a base branch nor another of them leads to; base null: no branch. */
export async function findUnmergedCommits(
  git: GitContext,
  commits: readonly ObjectId[],
  base: string | null,
): Promise<readonly ObjectId[]> {
  if (commits.length === 0) return [];
  const candidates = base === null ? commits : [...commits, `refs/heads/${base}`];
  const checked = await runGitForLines(git, ['cat-file', '--batch-check=%(objectname) %(objecttype)'], {
    input: `${candidates.join('\n')}\n`,
  });
  const isThere = checked.map((line) => line.endsWith(' commit'));
  const found = commits.filter((_, at) => isThere[at]);
  if (found.length === 0) return [];
  const excluded = base !== null && isThere[commits.length] ? [`^refs/heads/${base}`] : [];
  const lines = await runGitForLines(git, ['--no-replace-objects', 'rev-list', '--parents', '--stdin'], {
    input: `${[...found, ...excluded].join('\n')}\n`,
  });
  const rows = lines.map((line) => line.split(' '));
  const listed = new Set(rows.map(([commit]) => commit));
  const parents = new Set(rows.flatMap(([, ...others]) => others));
  return found.filter((commit) => listed.has(commit) && !parents.has(commit));
}
