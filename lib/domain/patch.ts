import type { ChangedFile } from './git-port.ts';

/** What two commits differ in, whole and checked: what is shown of it is what git counts. */
export interface Patch {
  readonly files: readonly PatchFile[];
}

/** One changed path; a rename is a deletion and an addition. */
export interface PatchFile
  extends Pick<ChangedFile, 'status' | 'oldMode' | 'newMode' | 'oldOid' | 'newOid' | 'size'> {
  /** As git has it; bytes that are no UTF-8 are written `⟦0xE9⟧`. */
  readonly path: string;
  readonly insertions: number;
  readonly deletions: number;
  /** Whether a changed or neighbouring line holds a NUL byte, which no text has. */
  readonly hasNul: boolean;
  /** Decoded each time it is called: a large patch is kept as bytes. */
  hunks(): readonly Hunk[];
}

export interface Hunk {
  /** What git says the hunk is in, after the second `@@`. */
  readonly heading: string;
  readonly oldStart: number;
  readonly newStart: number;
  readonly lines: readonly PatchLine[];
}

export interface PatchLine {
  readonly kind: 'context' | 'insert' | 'delete';
  readonly text: string;
  /** The last line of a file that doesn't end with a line break. */
  readonly isUnended: boolean;
}
