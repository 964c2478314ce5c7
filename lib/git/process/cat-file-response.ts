import type { ObjectId } from '../../domain/ids.ts';

export interface GitObject {
  readonly oid: ObjectId;
  readonly type: string;
  readonly size: number;
  readonly bytes: Buffer;
}

/** A question to git about an object: its type and size, or its content too. */
export type CatFileCommand = 'info' | 'contents';

interface ParsedAnswer {
  /** null: there is no such object. */
  readonly object: GitObject | null;
  /** Where the next answer begins. */
  readonly next: number;
}

export const emptyBuffer = Buffer.alloc(0);

/** An answer of `git cat-file --batch-command` that begins at `from`; null: more of it must come. */
export function parseCatFileResponse(buffer: Buffer, from: number, command: CatFileCommand): ParsedAnswer | null {
  const end = buffer.indexOf(10, from);
  if (end < 0) return null;
  const [oid, type, size] = buffer.toString('latin1', from, end).split(' ');
  if (size === undefined || type === undefined) return { object: null, next: end + 1 };
  const length = command === 'contents' ? Number(size) : 0;
  const next = command === 'contents' ? end + 1 + length + 1 : end + 1;
  if (buffer.length < next) return null;
  const bytes = length === 0 ? emptyBuffer : buffer.subarray(end + 1, end + 1 + length);
  return { object: { oid: oid as ObjectId, type, size: Number(size), bytes }, next };
}
