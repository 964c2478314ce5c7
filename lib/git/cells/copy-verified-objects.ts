import type { ChildProcess } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setImmediate as pause } from 'node:timers/promises';
import { FlameError } from '../../domain/flame-error.ts';
import type { ObjectId } from '../../domain/ids.ts';
import type { Quarantine } from '../../domain/ports/git-cells.ts';
import { type GitAccess, gitOnObjects, quarantineVariables, withVariables } from '../objects/git-access.ts';
import { openVerifiedObjects, readLooseObjectInfo } from '../objects/object-source.ts';
import { requireNotStopped } from '../process/limit-git-runs.ts';
import { type GitContext, runGit, spawnGit } from '../process/run-git.ts';
import { buildCellGitFolders } from './cell-git-folders.ts';
import { readRecord } from './cell-record.ts';
import { requireWorkWithinBounds, workTooLargeError } from './require-work-in-bounds.ts';

/**
 * Copies what `tip` needs from the quarantine into the cell's intake, which only this function fills: each
 * object is named by its content again, checked as `git fsck` would, and complete with what the repository
 * has. What the agent planted beside it, or under another object's name, stays behind. Returns the intake.
 * Throws FlameError `cell-objects-refused` where anything is missing or wrong, `cell-too-much` where it is
 * more than is judged.
 */
export async function copyVerifiedObjects(access: GitAccess, quarantine: Quarantine, tip: ObjectId): Promise<string> {
  const { commonDir } = access.repository;
  const { root, intake, objectDir } = buildCellGitFolders(commonDir, basename(quarantine.objectDir));
  if (access.measured.has(`${root} ${tip}`)) return intake;
  const { start } = readRecord(root);
  if (start === null) throw refused(objectDir, tip, ['the record of the cell is incomplete']);
  if (tip === start) return intake;
  if (!hasLooseObject(intake, tip)) await fillIntake(access, { objectDir, intake, start, tip });
  const seen = await requireWorkWithinBounds(
    openVerifiedObjects(access, intake),
    { start, tip, isNew: (oid) => hasLooseObject(intake, oid) },
    access.bounds,
  );
  for (const oid of seen) access.measured.add(`${root} ${oid}`);
  return intake;
}

interface Filling {
  readonly objectDir: string;
  readonly intake: string;
  readonly start: string;
  readonly tip: ObjectId;
}

async function fillIntake(access: GitAccess, { objectDir, intake, start, tip }: Filling): Promise<void> {
  requirePlainObjectFiles(objectDir);
  await refuseInflated(objectDir, access);
  const objects: GitContext = { ...gitOnObjects(access), guard: access.guard };
  const alternates = [join(access.repository.commonDir, 'objects')];
  const reads = withVariables(objects, quarantineVariables({ objectDir, alternates }));
  const writes = withVariables(objects, quarantineVariables({ objectDir: intake, alternates }));
  await refuseManyCommits(reads, { objectDir, range: `^${start}`, tip, most: access.bounds.commits });
  const trouble = await copyObjects(reads, writes, `${tip}\n^${start}\n`);
  if (trouble !== null) {
    requireNotStopped(access.guard);
    throw refused(objectDir, tip, trouble);
  }
  if (hasLooseObject(intake, tip)) return;
  // Nothing new: then the repository itself must have it, as when the agent went back to an older commit.
  const known = await runGit(objects, ['cat-file', '-e', `${tip}^{commit}`], { accept: [0, 1, 128] });
  if (known.exitCode !== 0) throw refused(objectDir, tip, [known.stderr]);
}

/** Counts no further than it must. */
async function refuseManyCommits(
  reads: GitContext,
  asked: {
    readonly objectDir: string;
    readonly range: string;
    readonly tip: ObjectId;
    readonly most: number;
  },
): Promise<void> {
  const { objectDir, range, tip, most } = asked;
  const args = [...plainly, 'rev-list', '--count', `--max-count=${most + 1}`, tip, range];
  const { exitCode, stdout, stderr } = await runGit(reads, args, { accept: [0, 128] });
  if (exitCode !== 0) throw refused(objectDir, tip, stderr.split('\n'));
  const found = Number(stdout.toString());
  if (found > most) throw workTooLargeError('commits or more', { found, most });
}

/** Whether a folder holds this object as a file of its own. */
export function hasLooseObject(objectDir: string, oid: string): boolean {
  return existsSync(join(objectDir, oid.slice(0, 2), oid.slice(2)));
}

// --local leaves out what the repository has already; neither deltas nor a commit-graph the agent wrote.
const plainly = ['-c', 'core.commitGraph=false', '-c', 'core.multiPackIndex=false', '-c', 'pack.useBitmaps=false'];
const pack = [...plainly, 'pack-objects', '--revs', '--local', '--stdout', '-q', '--window=0', '--threads=1'];

/** Starts a child by `start`; where it can't, ends the one that waits for it. */
function startOrEnd<Child>(start: () => Child, waiting: ChildProcess): Child {
  try {
    return start();
  } catch (error) {
    waiting.kill();
    throw error;
  }
}

/** Pipes a pack of the revisions from one git to another; null, or what went wrong. */
async function copyObjects(from: GitContext, to: GitContext, revisions: string): Promise<readonly string[] | null> {
  // Without a pack it waits for one, and ends with its input.
  const writer = spawnGit(to, ['unpack-objects', '-q', '--strict']);
  const reader = startOrEnd(() => spawnGit(from, pack), writer);
  const errors: Buffer[] = [];
  for (const child of [reader, writer]) {
    child.stdin.on('error', () => undefined);
    child.stderr.on('data', (chunk: Buffer) => errors.push(chunk));
  }
  writer.stdout.resume();
  reader.stdout.pipe(writer.stdin);
  reader.stdin.end(revisions);
  const codes = await Promise.all(
    [reader, writer].map(
      (child) =>
        new Promise<number>((resolve) => {
          child.on('error', () => resolve(127));
          child.on('close', (code) => resolve(code ?? 128));
        }),
    ),
  );
  return codes.every((code) => code === 0) ? null : Buffer.concat(errors).toString().trim().split('\n');
}

/**
 * A pipe under an object's name would hang git, a link would lead it out of the folder. Throws FlameError
 * `cell-objects-refused`.
 */
export function requirePlainObjectFiles(objectDir: string): void {
  for (const folder of readdirSync(objectDir, { withFileTypes: true })) {
    if (!folder.isDirectory()) {
      if (folder.isFile()) continue;
      throw refused(objectDir, folder.name, ['neither a file nor a folder']);
    }
    for (const entry of readdirSync(join(objectDir, folder.name), { withFileTypes: true })) {
      const name = `${folder.name}/${entry.name}`;
      if (!entry.isFile()) throw refused(objectDir, name, ['not a file']);
      // info/packs is for dumb servers; alternates or a commit-graph would be believed.
      if (folder.name === 'info' && entry.name !== 'packs') throw refused(objectDir, name, ['not allowed']);
    }
  }
}

// Files written by hand or by a program pack to a tenth at best, repeated bytes to a thousandth.
const likelyRatio = 50;
const objectsAtOnce = 500;
const muchBytes = 1024 * 1024 * 1024;

/** A few megabytes of zeros, packed, can hold git up for hours and take all memory. git reads no more than is declared. */
async function refuseInflated(
  objectDir: string,
  { bounds, guard }: Pick<GitAccess, 'bounds' | 'guard'>,
): Promise<void> {
  const most = bounds.objects;
  let [packed, declared, count] = [0, 0, 0];
  for (const folder of readdirSync(objectDir).filter((name) => /^[0-9a-f]{2}$/.test(name))) {
    for (const name of readdirSync(join(objectDir, folder)).filter((one) => /^[0-9a-f]{38,}$/.test(one))) {
      count += 1;
      if (count > most) throw workTooLargeError('objects or more', { found: count, most });
      if (count % objectsAtOnce === 0) {
        await pause();
        requireNotStopped(guard);
      }
      packed += statSync(join(objectDir, folder, name)).size;
      declared += declaredSize(objectDir, `${folder}${name}`);
    }
  }
  if (declared > muchBytes && declared > packed * likelyRatio)
    throw refused(objectDir, 'what is packed there', [`${packed} bytes unpack to ${declared}`]);
}

/** 0 for what can't be read: git reports that itself. */
function declaredSize(objectDir: string, oid: string): number {
  try {
    return readLooseObjectInfo(objectDir, oid)?.size || 0;
  } catch {
    return 0;
  }
}

function refused(objectDir: string, what: string, details: readonly string[]): FlameError {
  return new FlameError({
    kind: 'refused',
    code: 'cell-objects-refused',
    message: `The objects the agent wrote can't be accepted: ${what} in ${basename(objectDir)} is missing, damaged or of a kind that is not allowed.`,
    hints: ['git flame log'],
    details: details.slice(0, 5),
  });
}
