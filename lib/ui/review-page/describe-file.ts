import type { PatchFile } from '../../domain/state/patch.ts';
import { formatCount } from '../../util/format-amount.ts';

/** What a reviewer must know of each changed file besides its lines, in a few words each. */
export function describeFiles(files: readonly PatchFile[]): readonly (readonly string[])[] {
  const added = new Map(
    files.filter(({ status }) => status === 'added').map((file) => [file.newOid, file.path]),
  );
  const deleted = new Map(
    files.filter(({ status }) => status === 'deleted').map((file) => [file.oldOid, file.path]),
  );
  return files.map((file) => [
    ...describeStatus(file),
    ...describeModes(file),
    ...describeMove(file, added, deleted),
    ...describeContent(file),
  ]);
}

function describeStatus({ status }: PatchFile): readonly string[] {
  switch (status) {
    case 'added':
      return ['new'];
    case 'deleted':
      return ['deleted'];
    case 'type-changed':
      return ['became something else'];
    case 'mode-changed':
      return ['only its mode changed'];
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

type Paths = ReadonlyMap<string, string>;

/** The same content elsewhere: mentioned, and shown whole all the same. */
function describeMove(
  { status, oldOid, newOid }: PatchFile,
  added: Paths,
  deleted: Paths,
): readonly string[] {
  const [from, to] = [deleted.get(newOid), added.get(oldOid)];
  if (status === 'added' && from !== undefined) return [`moved from ${from}`];
  if (status === 'deleted' && to !== undefined) return [`moved to ${to}`];
  return [];
}

function describeContent({ hasNul, size, insertions, deletions, status }: PatchFile): readonly string[] {
  if (hasNul) return [`binary, ${formatCount(size, 'byte')}`];
  return insertions + deletions === 0 && status !== 'mode-changed' ? ['empty'] : [];
}
