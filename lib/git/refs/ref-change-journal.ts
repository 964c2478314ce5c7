import { closeSync, ftruncateSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
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

  begin(motion: NewJournaledRefChange): void {
    const bytes = Buffer.from(JSON.stringify({ owner: ownIdentity(), ...motion }));
    try {
      const descriptor = this.#open();
      writeSync(descriptor, bytes, 0, bytes.length, 0);
      ftruncateSync(descriptor, bytes.length);
    } catch {
      // Where nothing can be written git reports it too, and better.
    }
  }

  /** It is over, well or not. */
  end(): void {
    if (this.#descriptor !== null) ftruncateSync(this.#descriptor);
  }

  close(): void {
    if (this.#descriptor === null) return;
    closeSync(this.#descriptor);
    this.#descriptor = null;
    rmSync(this.#file, { force: true });
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
