import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { FlameError } from '../../domain/flame-error.ts';
import { type ObjectId, objectIdPattern, type RefName } from '../../domain/ids.ts';
import type { CatFile } from '../../git/process/cat-file.ts';
import { findGitProcesses } from '../../git/refs/find-git-processes.ts';
import type { RefCommand } from '../../git/refs/ref-transaction.ts';
import { findReftableLock } from '../../git/refs/reftable.ts';
import { shortId } from '../../util/short-names.ts';
import { loadNotes } from '../notes/load-notes.ts';
import type { NoteKind } from '../notes/note-kinds.ts';
import { listFormerRefValues, listRefs, readRefFileText, readRefValueFromGit } from '../notes/read-tips.ts';
import type { StoreOptions } from '../store-options.ts';
import type { RefPublisher } from '../write/ref-publisher.ts';

/** Outside refs/blueflame/*: it belongs to this clone alone. */
const backupRoot = 'refs/blueflame-backup/';

/** Moves a ref that holds no notes to the newest place its reflog or a remote's copy knows that does. */
export async function repairRef<T>(
  context: RepairContext,
  kind: NoteKind<T>,
  { message }: FlameError,
): Promise<Repair> {
  const { ref } = kind;
  const found = await findSound(context, kind);
  if (found === null)
    return {
      ref,
      isDone: false,
      message: `${message} Neither its reflog nor a remote's copy has an earlier state of it.`,
      hints: [
        `git flame sync`,
        `If you can do without it, delete the ref; its content is lost: git update-ref -d ${ref}`,
      ],
    };
  const place = found.from === null ? 'the state in its reflog' : `the state of ${found.from}`;
  const notice = `${ref} was restored to ${shortId(found.oid)}, ${place}`;
  if (context.isDry) return { ref, isDone: true, message: `${message} It can be repaired: ${notice}.`, hints: [] };
  const backup = await moveBack(context, ref, found.oid);
  return {
    ref,
    isDone: true,
    hints: [],
    message: `${notice}. Its damaged content is kept at ${backup}. The problem was: ${message}`,
  };
}

interface Sound {
  readonly oid: ObjectId;
  /** The remote's ref; null: the reflog. */
  readonly from: RefName | null;
}

async function findSound<T>(context: RepairContext, kind: NoteKind<T>): Promise<Sound | null> {
  const name = kind.ref.slice('refs/blueflame/'.length);
  const git = { ...context.context, variables: { GIT_DIR: context.commonDir } };
  const copies = [...(await listRefs(git, 'refs/blueflame-remotes/'))].filter(([ref]) => ref.endsWith(`/${name}`));
  const places: readonly Sound[] = [
    ...(await listFormerRefValues(context, kind.ref)).map((oid) => ({ oid, from: null })),
    ...copies.map(([from, oid]) => ({ oid, from })),
  ];
  for (const place of places) {
    const root = await loadNotes(context, kind, place.oid, null).catch(() => null);
    if (root !== null) return place;
  }
  return null;
}

/** Resolves to where the old value is kept. */
async function moveBack(context: RepairContext, ref: RefName, oid: ObjectId): Promise<string> {
  let backup = '';
  await context.publisher.publish(async () => {
    const held = await heldBy(context, ref);
    if (held.kind === 'text') {
      backup = setAside(context.commonDir, ref);
      return { objects: [], commands: [{ ref, old: null, new: oid }] };
    }
    const commands: RefCommand[] = [{ ref, old: held.oid, new: oid }];
    const isThere = held.oid !== null && (await context.catFile.info(held.oid)) !== null;
    if (!isThere) backup = 'no ref, because its object is missing';
    else {
      const name = await freeName(context, `${backupRoot}${ref.slice('refs/blueflame/'.length)}`);
      commands.push({ ref: name, old: null, new: held.oid });
      backup = name;
    }
    return { objects: [], commands };
  });
  return backup;
}

type Held = { readonly kind: 'text' } | { readonly kind: 'id'; readonly oid: ObjectId | null };

/** Reads the value git keeps for it; git itself refuses to touch a ref whose file holds no id. */
async function heldBy(context: RepairContext, ref: RefName): Promise<Held> {
  const known = await context.catFile.info(ref);
  if (known !== null) return { kind: 'id', oid: known.oid };
  const recorded = (await readRefValueFromGit(context, ref)) ?? '';
  const oid = objectIdPattern.test(recorded) ? (recorded as ObjectId) : null;
  const isText = oid === null && readRefFileText(context.commonDir, ref) !== null;
  return isText ? { kind: 'text' } : { kind: 'id', oid };
}

/** Moves the file out of git's way, holding git's own lock on it meanwhile. */
function setAside(commonDir: string, ref: RefName): string {
  const lock = join(commonDir, `${ref}.lock`);
  const target = join(commonDir, 'blueflame', 'set-aside', `${ref.replaceAll('/', '-')}-${Date.now()}`);
  writeFileSync(lock, '', { flag: 'wx' });
  try {
    mkdirSync(dirname(target), { recursive: true });
    renameSync(join(commonDir, ref), target);
  } finally {
    rmSync(lock);
  }
  return target;
}

async function freeName({ catFile }: RepairContext, root: string): Promise<RefName> {
  for (let number = 1; ; number += 1) {
    const name = `${root}/${number}` as RefName;
    if ((await catFile.info(name)) === null) return name;
  }
}

/** A repair that was made, or damage that could not be repaired without loss. */
export interface Repair {
  readonly ref: RefName;
  readonly isDone: boolean;
  /** One sentence, naming ref and object. */
  readonly message: string;
  readonly hints: readonly string[];
}

export interface RepairContext extends StoreOptions {
  readonly catFile: CatFile;
  readonly publisher: RefPublisher;
  /** Only says what would be done. */
  readonly isDry: boolean;
}

// No git holds a ref this long.
const oldMs = 60_000;

/** Lock files on state refs, or on the table of all refs; oldest first. */
export function listRefLocks(commonDir: string): readonly { readonly path: string; readonly ageMs: number }[] {
  const shared = findReftableLock(commonDir);
  return [...locksBelow(join(commonDir, 'refs', 'blueflame')), ...(shared === null ? [] : [shared])]
    .flatMap((path) => {
      const stat = statSync(path, { throwIfNoEntry: false });
      return stat === undefined ? [] : [{ path, ageMs: Date.now() - stat.mtimeMs }];
    })
    .sort((a, b) => b.ageMs - a.ageMs);
}

function locksBelow(root: string): readonly string[] {
  if (!existsSync(root)) return [];
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.lock'))
    .map((entry) => join(entry.parentPath, entry.name));
}

/** Removes locks that are older than a minute, where no git is at work that could hold them. */
export function removeDeadRefLocks({ commonDir, isDry }: RepairContext): readonly Repair[] {
  return listRefLocks(commonDir).map(({ path, ageMs }): Repair => {
    const ref = path.slice(commonDir.length + 1, -'.lock'.length) as RefName;
    const reason = reasonToKeep(commonDir, ageMs);
    const hints = [`If no git process is running here any more, remove the file: rm '${path}'`];
    if (reason !== null) return { ref, isDone: false, message: `${path} stays: ${reason}.`, hints };
    if (!isDry) rmSync(path, { force: true });
    const message = `${path}, ${Math.round(ageMs / oldMs)} minutes old, was left by a git that has ended, so it was removed.`;
    return { ref, isDone: true, message, hints: [] };
  });
}

function reasonToKeep(commonDir: string, ageMs: number): string | null {
  if (ageMs < oldMs) return 'it is younger than a minute';
  if (!existsSync('/proc/self/comm')) return 'this system does not show whether a git is running';
  const gits = findGitProcesses([commonDir, join(commonDir, '..')]);
  return gits.length > 0 ? `git is running here (pid ${gits.join(', ')})` : null;
}
