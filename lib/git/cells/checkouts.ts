import { lstatSync, mkdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { ObjectId } from '../../domain/ids.ts';
import type { KnownCheckouts } from '../objects/git-access.ts';
import type { ObjectFormat } from '../objects/make-object.ts';
import { type IndexEntry, modeOf, parseIndex, renderIndex, statOf } from './index-file.ts';

interface CheckedOut extends IndexEntry {
  readonly content: Buffer;
  /** Permission bits. */
  readonly mode: number;
  readonly isLink: boolean;
}

// Beyond that git is as fast, and memory is for other things.
const mostFiles = 200;
const mostBytes = 1024 * 1024;
// What a checkout depends on beside its commit, settings and attributes of the person, may change.
const longestMs = 10_000;

/**
 * What git made of a small commit, so that the worktrees of agents that start together there need no git each. Nothing
 * is kept of a commit that is checked out once.
 */
export class Checkouts implements KnownCheckouts {
  readonly #format: ObjectFormat;
  #last: {
    readonly commit: ObjectId;
    readonly files: readonly CheckedOut[] | null;
    readonly at: number;
  } | null = null;

  constructor(format: ObjectFormat) {
    this.#format = format;
  }

  write(commit: ObjectId, workTree: string): Buffer | null {
    const files = this.#known(commit)?.files ?? null;
    if (files === null) return null;
    const folders = new Set([Buffer.from(workTree).toString('latin1')]);
    const entries = files.map((file) => {
      const path = placeOf(workTree, file.path);
      makeFolders(dirname(path.toString('latin1')), folders);
      if (file.isLink) symlinkSync(file.content, path);
      else writeFileSync(path, file.content, { mode: file.mode, flag: 'wx' });
      return { ...file, stat: statOf(lstatSync(path, { bigint: true }), modeOf(file)) };
    });
    return renderIndex(entries, this.#format);
  }

  note(commit: ObjectId, workTree: string, index: () => Buffer): void {
    const known = this.#known(commit);
    const files = known === null ? null : readAll(workTree, parseIndex(index(), this.#format));
    this.#last = { commit, files, at: performance.now() };
  }

  #known(commit: ObjectId): { readonly files: readonly CheckedOut[] | null } | null {
    const last = this.#last;
    return last?.commit === commit && performance.now() - last.at < longestMs ? last : null;
  }
}

function placeOf(workTree: string, path: string): Buffer {
  return Buffer.concat([Buffer.from(`${workTree}/`), Buffer.from(path, 'latin1')]);
}

/** Folders are named by their bytes, as latin1 text. */
function makeFolders(folder: string, made: Set<string>): void {
  if (made.has(folder)) return;
  makeFolders(dirname(folder), made);
  mkdirSync(Buffer.from(folder, 'latin1'));
  made.add(folder);
}

function readAll(workTree: string, entries: readonly IndexEntry[] | null): readonly CheckedOut[] | null {
  if (entries === null || entries.length > mostFiles) return null;
  const files: CheckedOut[] = [];
  let bytes = 0;
  for (const entry of entries) {
    const path = placeOf(workTree, entry.path);
    const facts = lstatSync(path);
    const isLink = facts.isSymbolicLink();
    bytes += facts.size;
    // The place of a submodule is a folder.
    if (bytes > mostBytes || !(isLink || facts.isFile())) return null;
    const content = isLink ? readlinkSync(path, { encoding: 'buffer' }) : readFileSync(path);
    files.push({ ...entry, stat: Buffer.from(entry.stat), content, mode: facts.mode & 0o777, isLink });
  }
  return files;
}
