import type { Patch, PatchFile } from '../../domain/state/patch.ts';
import { describeFile, reasonToFold } from './describe-file.ts';
import { countLines, splitParts } from './split-parts.ts';

export type FileFate = 'added' | 'deleted' | 'moved' | '';

/** A changed file as the page has it before its lines. */
export interface FileView {
  readonly index: number;
  readonly path: string;
  /** Where the lines of its old side are from. */
  readonly oldPath: string;
  /** Its change as a whole; '' where only its content changed. */
  readonly fate: FileFate;
  /** Names its content, so that a mark on it is void once it changes. */
  readonly content: string;
  readonly notes: readonly string[];
  readonly insertions: number;
  readonly deletions: number;
  /** Lines of each part. */
  readonly parts: string;
  readonly folded: string | null;
}

function viewFile(file: PatchFile, index: number): FileView {
  const hunks = file.hunks();
  return {
    index,
    path: file.path,
    oldPath: file.movedFrom?.path ?? file.path,
    fate: fateOf(file),
    content: `${file.oldOid} ${file.newOid}`,
    notes: describeFile(file),
    insertions: file.insertions,
    deletions: file.deletions,
    parts: splitParts(hunks).map(countLines).join(' '),
    folded: reasonToFold(file, hunks),
  };
}

function fateOf({ status, movedFrom }: PatchFile): FileFate {
  if (movedFrom !== null) return 'moved';
  return status === 'added' || status === 'deleted' ? status : '';
}

const known = new WeakMap<Patch, readonly FileView[]>();

/** The files of a patch; every line of it is read for that, once. */
export function viewFiles(patch: Patch): readonly FileView[] {
  const views = known.get(patch) ?? patch.files.map(viewFile);
  known.set(patch, views);
  return views;
}
