import type { AgentPolicy, PathFacts } from '../../domain/policy.ts';
import { isBlockedBy, judgeName } from '../judge-path.ts';

/** A file that git shows, or that a tree holds: its name, and the ids of what it holds there. */
export interface ShownFile {
  readonly path: string;
  readonly blobs: readonly string[];
}

/** What a repository holds of hidden files, in everything that its refs and their logs lead to. */
interface HiddenHistory {
  /** By the ids of their contents. */
  readonly blobs: ReadonlyMap<string, string>;
  /** There could be more: it is too large to be looked through, and this is what is checked out. */
  readonly isPartial: boolean;
}

const walkAll =
  'log --all --reflog --full-history -m --root --no-renames --no-show-signature --raw --no-abbrev -z --format=';

/** Reads what is known of hidden files; asked of the repository, so that it is the same for all its agents. */
export function readHiddenHistory({ policy, facts }: Asking): HiddenHistory {
  const globs = policy.hidden_paths;
  if (globs.length === 0) return { blobs: new Map(), isPartial: false };
  const places = globs.every(isPlainGlob) ? globs.flatMap(pathspecs) : ['.'];
  const all = facts.git({ args: [...walkAll.split(' '), '--', ...places], cwd: null });
  if (all !== null) return { blobs: blobsOf(policy, readRaw(all)), isPartial: false };
  const tree = facts.git({ args: ['ls-tree', '-r', '-z', 'HEAD'], cwd: null });
  return { blobs: blobsOf(policy, readTree(tree ?? '')), isPartial: true };
}

interface Asking {
  readonly policy: AgentPolicy;
  readonly facts: PathFacts;
}

/** The glob that hides a path, if any. */
export function hiddenBy(policy: AgentPolicy, path: string): string | undefined {
  if (judgeName(policy, path, 'read')?.rule !== 'path-hidden') return undefined;
  return policy.hidden_paths.find((glob) => isBlockedBy(glob, path));
}

/** The records of `--raw -z --no-abbrev`, those of merges too; git-diff(1), "Raw output format". */
export function readRaw(text: string): readonly ShownFile[] {
  const found: ShownFile[] = [];
  const parts = text.split('\0');
  for (let at = 0; at < parts.length; at += 1) {
    const [, colons = '', rest = ''] = /^\s*(:+)(\d{6} .*)$/s.exec(parts[at] ?? '') ?? [];
    if (colons === '') continue;
    const words = rest.split(' ');
    const blobs = words.slice(colons.length + 1, -1).filter((id) => !/^0+$/.test(id));
    const isMoved = colons === ':' && /^[RC]\d/.test(words.at(-1) ?? '');
    for (let left = isMoved ? 2 : 1; left > 0; left -= 1) {
      at += 1;
      found.push({ path: parts[at] ?? '', blobs });
    }
  }
  return found;
}

/** The entries of `ls-tree -r -z`. */
export function readTree(text: string): readonly ShownFile[] {
  return text.split('\0').flatMap((entry) => {
    const [, blob, path] = /^\d+ blob ([0-9a-f]+)\t(.*)$/s.exec(entry) ?? [];
    return blob === undefined || path === undefined ? [] : [{ path, blobs: [blob] }];
  });
}

function blobsOf(policy: AgentPolicy, files: readonly ShownFile[]): ReadonlyMap<string, string> {
  const blocked = files.filter(({ path }) => hiddenBy(policy, path) !== undefined);
  return new Map(blocked.flatMap(({ path, blobs }) => blobs.map((blob) => [blob, path] as const)));
}

/** Whether git's globs mean the same. */
function isPlainGlob(glob: string): boolean {
  return /^[\x20-\x7e]+$/.test(glob) && !/[{}()!@+\\[\]]/.test(glob);
}

function pathspecs(glob: string): readonly string[] {
  const plain = glob.replace(/^(?:\.\/)+/, '').replace(/\/+$/, '');
  return [plain, `${plain}/**`].map((one) => `:(top,icase,glob)${one}`);
}
