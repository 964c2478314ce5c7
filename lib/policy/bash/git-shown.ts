import { type Objection, objection } from '../rules.ts';
import { unknownRevision } from './candidates.ts';
import { isWild } from './expand-glob.ts';
import { hiddenBy, readHiddenHistory, readRaw, readTree, type ShownFile } from './git-history.ts';
import { inTree, isFileName, lookings, type Showing } from './git-lookings.ts';
import { namesIn, type ReadArguments, readArguments } from './git-walks.ts';
import type { ProgramCall } from './program.ts';

/**
 * Whether a command of git that looks would show what a hidden file holds or held, by whatever name. What can't be seen is
 * refused only where the repository has such files at all. `call.name` is `git SUBCOMMAND`; its pathspecs are judged already.
 */
export function judgeShown(call: ProgramCall): Objection | null {
  const subcommand = call.name.replace(/^git /, '');
  const look = lookings.get(subcommand);
  if (look === undefined) return judgeWhole(call, subcommand);
  const read = readArguments(call.args, (operand) => isPath(call, operand));
  const showing = look(call, read);
  return showing === null ? null : judgeShowing(call, read, showing);
}

/** A search through trees that prints lines: of any kind (`isOpen`), or such as hold a word. */
export function judgeTreeSearch(
  call: ProgramCall,
  {
    trees,
    below,
    isOpen,
  }: { readonly trees: readonly string[]; readonly below: readonly string[]; readonly isOpen: boolean },
): Objection | null {
  const read = readArguments([], () => true);
  for (const tree of trees) {
    const showing = isOpen ? inTree(tree, below) : { question: [] };
    const found = judgeShowing(call, read, { ...showing, names: [tree] });
    if (found !== null) return found;
  }
  return null;
}

// They write or print what objects hold, by other names than those it is blocked by.
const carriers = new Set(
  'bundle fast-export unpack-file pack-objects unpack-objects checkout-index read-tree update-index merge-file merge-tree merge-one-file mktree hash-object replace rerere show-index verify-pack cherry diff-pairs worktree'.split(
    ' ',
  ),
);

function judgeWhole(call: ProgramCall, subcommand: string): Objection | null {
  return carriers.has(subcommand) && !/^list$/.test(call.args[0] ?? '')
    ? judgeShowing(
        call,
        readArguments([], () => true),
        { question: null, names: [] },
      )
    : null;
}

function judgeShowing(call: ProgramCall, read: ReadArguments, showing: Showing): Objection | null {
  const { context } = call;
  const named = lookUp(context, showing.names);
  const held = named.blobs.find((blob) => isHeldBack(context, blob));
  if (held !== undefined) return holds(call, readHiddenHistory(context).blobs.get(held));
  const isMoved = context.movesRevisions === true && showing.isByName !== true;
  const isSeen = !named.isUnknown && !isMoved && !(showing.isByName && named.hasTree);
  // git ends before it shows anything.
  if (isSeen && named.lacks && !read.isOdd) return null;
  if (isSeen && (showing.isByName || showing.question?.length === 0)) return null;
  const files = isSeen && showing.question !== null ? ask(context, showing.question, showing.isTree) : null;
  if (files === null) {
    const [path] = readHiddenHistory(context).blobs.values();
    return path === undefined ? null : shows(call, read, path);
  }
  // Of a folder that is looked into for itself the names are no paths.
  const isBlocked = ({ path, blobs }: ShownFile): boolean =>
    hiddenBy(context.policy, path) !== undefined ||
    (named.hasTree && blobs.some((blob) => isHeldBack(context, blob)));
  const found = files.find(isBlocked);
  return found === undefined ? null : shows(call, read, found.path);
}

type Context = ProgramCall['context'];

function ask({ facts, cwd }: Context, args: readonly string[], isTree = false): readonly ShownFile[] | null {
  const text = facts.git({ args, cwd });
  return text === null ? null : isTree ? readTree(text) : readRaw(text);
}

interface Named {
  readonly blobs: readonly string[];
  /** One of them is a tree. */
  readonly hasTree: boolean;
  /** One of them could be anything. */
  readonly isUnknown: boolean;
  /** One of them is of nothing. */
  readonly lacks: boolean;
}

const plainName = /^[\w./-]+(?:[~^]\d*)*(?:\^\{\})?$/;

/** What names are of, where the repository has anything blocked. */
function lookUp(context: Context, operands: readonly string[]): Named {
  const nothing = { blobs: [], hasTree: false, isUnknown: false, lacks: false };
  const names = operands.flatMap((one) =>
    isFileName(one) ? [one] : namesIn([one]).map((name) => `${name}^{}`),
  );
  if (names.length === 0 || readHiddenHistory(context).blobs.size === 0) return nothing;
  if (operands.some((one) => one.includes(unknownRevision))) return { ...nothing, isUnknown: true };
  const args = ['cat-file', '--batch-check=%(objecttype) %(objectname)'];
  const text = context.facts.git({
    args,
    input: names.map((name) => `${name}\n`).join(''),
    cwd: context.cwd,
  });
  return {
    blobs: [...(text ?? '').matchAll(/^blob ([0-9a-f]+)$/gm)].map(([, blob = '']) => blob),
    hasTree: /^tree /m.test(text ?? ''),
    isUnknown: text === null,
    lacks: [...(text ?? '').matchAll(/^(.*) missing$/gm)].some(([, name = '']) => plainName.test(name)),
  };
}

/** Whether it is what a hidden file holds, and no other file does. */
function isHeldBack(context: Context, blob: string): boolean {
  const { blobs, isPartial } = readHiddenHistory(context);
  if (emptyBlobs.has(blob) || !(isPartial || blobs.has(blob))) return false;
  const tree = context.facts.git({ args: ['ls-tree', '-r', '-z', '--full-tree', 'HEAD'], cwd: context.cwd });
  const places = readTree(tree ?? '').filter((file) => file.blobs.includes(blob));
  return places.every(({ path }) => hiddenBy(context.policy, path) !== undefined);
}

const emptyBlobs = new Set([
  'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391',
  '473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813',
]);

function holds({ name, context }: ProgramCall, path = 'a hidden file'): Objection {
  return objection(
    'path-hidden',
    `${name} could show what ${path} holds or held, which is hidden from agents (permissions.hidden_paths: ${hiddenBy(context.policy, path) ?? path}). Name a revision and a file: git show REVISION:FILE.`,
  );
}

function isPath({ context }: ProgramCall, operand: string): boolean {
  const { facts, cwd } = context;
  if (isWild(operand) && !/[\^~@{]/.test(operand)) return true;
  if (operand.startsWith(':')) return /^:[!^(/]/.test(operand);
  if (facts.lstat(operand.startsWith('/') ? operand : `${cwd}/${operand}`) === null) return false;
  // A file of that name can be gone by then.
  return facts.git({ args: ['rev-parse', '--verify', '--quiet', '--end-of-options', operand], cwd }) === null;
}

function shows(call: ProgramCall, read: ReadArguments, path: string): Objection {
  const glob = hiddenBy(call.context.policy, path) ?? path;
  const without =
    read.paths.length === 0 ? `-- . ':(exclude)${path}'` : `':(exclude)${path}' beside its paths`;
  return objection(
    'path-hidden',
    `${call.name} would show what ${path} holds or held, which is hidden from agents (permissions.hidden_paths: ${glob}). Leave it out: ${call.name} … ${without}; or see names alone with --stat.`,
  );
}
