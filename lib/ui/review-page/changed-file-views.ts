import { widestLine } from '../../domain/state/made-by-tools.ts';
import type { Hunk, Patch, PatchFile } from '../../domain/state/patch.ts';
import { formatCount } from '../../util/format-figures.ts';
import { countPartLines, splitHunksIntoParts } from './split-hunks.ts';

export type FileChangeKind = 'added' | 'deleted' | 'moved' | '';

/** A changed file as the page has it before its lines. */
export interface ChangedFileView {
  readonly index: number;
  readonly path: string;
  /** Where the lines of its old side are from. */
  readonly oldPath: string;
  /** Its change as a whole; '' where only its content changed. */
  readonly fate: FileChangeKind;
  /** Names its content, so that a mark on it is void once it changes. */
  readonly content: string;
  readonly notes: readonly string[];
  readonly insertions: number;
  readonly deletions: number;
  /** Lines of each part. */
  readonly parts: string;
  readonly folded: string | null;
}

function viewFile(file: PatchFile, index: number): ChangedFileView {
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
    parts: splitHunksIntoParts(hunks).map(countPartLines).join(' '),
    folded: reasonToFold(file, hunks),
  };
}

function fateOf({ status, movedFrom }: PatchFile): FileChangeKind {
  if (movedFrom !== null) return 'moved';
  return status === 'added' || status === 'deleted' ? status : '';
}

const known = new WeakMap<Patch, readonly ChangedFileView[]>();

/** The files of a patch; every line of it is read for that, once. */
export function listChangedFileViews(patch: Patch): readonly ChangedFileView[] {
  const views = known.get(patch) ?? patch.files.map(viewFile);
  known.set(patch, views);
  return views;
}

/** Describes what a reviewer must know of a changed file apart from its lines, in a few words each. */
function describeFile(file: PatchFile): readonly string[] {
  return [...describeStatus(file), ...describeModes(file), ...describeMove(file), ...describeContent(file)];
}

/** Why its lines are not opened by themselves, in a few words; null where they are. */
function reasonToFold({ hasNul }: PatchFile, hunks: readonly Hunk[]): string | null {
  if (hasNul) return 'binary';
  const isWide = hunks.some(({ lines }) => lines.some(({ text }) => text.length > widestLine));
  return isWide ? 'very long lines' : null;
}

function describeStatus({ status }: PatchFile): readonly string[] {
  switch (status) {
    case 'added':
      return ['new'];
    case 'deleted':
      return ['deleted'];
    case 'type-changed':
      return ['type changed'];
    case 'mode-changed':
      return ['only the mode changed'];
    case 'modified':
      return [];
  }
}

const modes: Readonly<Record<string, string>> = {
  '100755': 'executable',
  '120000': 'symbolic link',
  '160000': 'submodule',
};

function describeModes({ status, oldMode, newMode }: PatchFile): readonly string[] {
  if (status === 'added') return newMode in modes ? [modes[newMode] ?? newMode] : [];
  if (status === 'deleted') return oldMode in modes ? [modes[oldMode] ?? oldMode] : [];
  if (oldMode === newMode) return newMode === '100755' ? [] : newMode in modes ? [modes[newMode] ?? ''] : [];
  return [`${nameMode(oldMode)} → ${nameMode(newMode)}`];
}

function nameMode(mode: string): string {
  return `${mode}${mode in modes ? ` (${modes[mode]})` : ''}`;
}

function describeMove({ movedFrom }: PatchFile): readonly string[] {
  if (movedFrom === null) return [];
  const { path, similarity } = movedFrom;
  return [`moved from ${path}${similarity === 100 ? ', unchanged' : `, ${similarity} % similar`}`];
}

function describeContent(file: PatchFile): readonly string[] {
  if (file.hasNul) return [`binary, ${formatCount(file.size, 'byte')}`];
  if (file.insertions + file.deletions > 0 || file.movedFrom !== null) return [];
  if (file.status === 'mode-changed') return [];
  return [file.status === 'modified' && file.newMode !== submodule ? 'only whitespace changed' : 'empty'];
}

const submodule = '160000';
