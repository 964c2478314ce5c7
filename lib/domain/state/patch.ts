import type { ObjectId } from '../ids.ts';

/** The difference of two commits, whole and checked: git counts the same lines as are shown. */
export interface Patch {
  readonly files: readonly PatchFile[];
}

/** How a patch is looked at. */
export interface PatchView {
  /** Lines that differ in white space alone are shown as unchanged. */
  readonly ignoresSpace: boolean;
  /** These files alone; moves are not found then. Absent: all. */
  readonly paths?: readonly string[];
}

/** One changed path; a file that was moved is shown under its new name, with what differs from the old one. */
export interface PatchFile extends Pick<ChangedFile, 'status' | 'oldMode' | 'newMode' | 'oldOid' | 'newOid' | 'size'> {
  /** As git has it; bytes that are no UTF-8 are written `⟦0xE9⟧`. */
  readonly path: string;
  readonly movedFrom: MovedFrom | null;
  readonly insertions: number;
  readonly deletions: number;
  /** Whether a changed or neighbouring line holds a NUL byte, which no text has. */
  readonly hasNul: boolean;
  /** Decoded each time it is called: a large patch is kept as bytes. */
  hunks(): readonly Hunk[];
}

interface MovedFrom {
  readonly path: string;
  /** How much of it is the same, in percent, as git counts. */
  readonly similarity: number;
}

export interface Hunk {
  /** Git's heading of the hunk, after the second `@@`. */
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

/** One path that differs between two commits, renames given as both ends. */
export interface ChangedFile {
  readonly path: string;
  readonly status: 'added' | 'modified' | 'deleted' | 'type-changed' | 'mode-changed';
  /** Octal, '000000' where the side has no file. */
  readonly oldMode: string;
  readonly newMode: string;
  readonly oldOid: ObjectId;
  readonly newOid: ObjectId;
  /** Bytes of the new content; 0 when deleted or a submodule. */
  readonly size: number;
  readonly isBinary: boolean;
}

/** How many lines of a file differ. */
export interface FileStat {
  readonly path: string;
  /** Where it was before; absent: it did not move. */
  readonly moved_from?: string;
  readonly insertions: number;
  readonly deletions: number;
}

/** A file that has another name in the second of two commits. */
export interface RenamedFile {
  readonly from: string;
  readonly to: string;
}

/** One file that differs between two commits; `blob` is null, and the mode 000000, where it is gone. */
export interface TreeChange {
  readonly path: string;
  /** Octal, six digits. */
  readonly mode: string;
  /** A submodule's commit where the mode is 160000. */
  readonly blob: ObjectId | null;
  /** Mode and blob of the other side: 000000 and null where it had no file there. */
  readonly oldMode: string;
  readonly oldBlob: ObjectId | null;
}
