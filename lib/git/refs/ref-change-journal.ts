import { closeSync, ftruncateSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { asDiskFullError } from '../../domain/disk-errors.ts';
import { ownIdentity } from '../../util/process-identity.ts';
import type { NewJournaledRefChange } from './journaled-ref-change.ts';

export const journalFilePattern = /^motion-\d+-\d+\.json$/;

/** Where processes note what they have git do. */
export function refChangeJournalFolder(commonDir: string): string {
  return join(commonDir, 'blueflame', 'locks');
}

let count = 0;

/**
 * Records what a git does while it does it. A git that dies with this process leaves lock files, and several
 * refs moved in part; by the note they are known as ours, and what was begun is finished. One motion at a
 * time.
 */
export class RefChangeJournal {
  readonly #commonDir: string;
  #file = '';
  #descriptor: number | null = null;

  constructor(commonDir: string) {
    this.#commonDir = commonDir;
  }

  /** Throws where the disk is full: what git then did in part could not be finished. */
  begin(motion: NewJournaledRefChange): void {
    const bytes = Buffer.from(JSON.stringify({ owner: ownIdentity(), ...motion }));
    try {
      const descriptor = this.#open();
      // A disk that is nearly full takes a part.
      for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at, bytes.length - at, at);
      ftruncateSync(descriptor, bytes.length);
    } catch (error) {
      // Every other reason git reports too, and better.
      if (asDiskFullError(error, '') === null) return;
      this.close();
      throw error;
    }
  }

  /** It is over, well or not. */
  end(): void {
    if (this.#descriptor !== null) ftruncateSync(this.#descriptor);
  }

  close(): void {
    if (this.#descriptor === null) return;
    this.leave();
    rmSync(this.#file, { force: true });
  }

  /** It is over in part: the next start finishes it. */
  leave(): void {
    if (this.#descriptor !== null) closeSync(this.#descriptor);
    this.#descriptor = null;
  }

  #open(): number {
    if (this.#descriptor !== null) return this.#descriptor;
    const folder = refChangeJournalFolder(this.#commonDir);
    mkdirSync(folder, { recursive: true });
    count += 1;
    this.#file = join(folder, `motion-${process.pid}-${count}.json`);
    this.#descriptor = openSync(this.#file, 'w', 0o600);
    return this.#descriptor;
  }
}
