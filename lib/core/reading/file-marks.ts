import type { ReadingMark, ReadingMarkKind } from '../../domain/state/reading-guide.ts';
import { formatCount } from '../../util/format-figures.ts';
import { shortId } from '../../util/short-names.ts';
import { toOneLine } from '../task/bound-text.ts';
import { type ChangedText, isRealLine, quoteFirst } from './changed-text.ts';
import { findDependencyChanges } from './dependency-changes.ts';
import { agentNames, localNames } from './file-kind.ts';
import { describeHiddenText, describeSources, isMedia, isRegistrySetting, nameOfMade } from './quiet-changes.ts';

/** Evidence of one mark in one line: the first few of its clauses. */
export function makeMark(kind: ReadingMarkKind, clauses: readonly string[]): readonly ReadingMark[] {
  if (clauses.length === 0) return [];
  const shown = clauses.slice(0, mostClauses).map((clause) => toOneLine(clause, widestClause));
  const more = clauses.length - shown.length;
  return [{ kind, reason: more > 0 ? `${shown.join('; ')}; and ${more} more` : shown.join('; ') }];
}

const mostClauses = 3;
const widestClause = 120;

/** Marks that a changed file has by itself: what it is, its mode, what it sets up, what is gone of it. */
export function listOwnMarks(text: ChangedText, isManifestChanged: boolean): readonly ReadingMark[] {
  return [
    ...makeMark('hidden-text', describeHiddenText(text)),
    ...makeMark('permissions', describeModes(text)),
    ...makeMark('ci', text.kind === 'ci' ? describePipeline(text) : []),
    ...makeMark('machine', describeReaders(text)),
    ...listSetupMarks(text, isManifestChanged),
    ...makeMark('deletion', describeDeletion(text)),
    ...makeMark('looks-generated', whyLooksGenerated(text)),
  ];
}

const executable = '100755';
const link = '120000';
const submodule = '160000';

function describeModes({ file, added, hunks }: ChangedText): readonly string[] {
  const { oldMode, newMode, oldOid, newOid, status } = file;
  if (status === 'deleted') return [];
  if (newMode === submodule)
    return [`a submodule at ${shortId(newOid)}${oldMode === submodule ? `, before at ${shortId(oldOid)}` : ''}`];
  if (newMode === link && hunks.length > 0) return [`a symbolic link to ${added[0] ?? ''}`];
  if (oldMode === newMode) return [];
  if (newMode === executable) return [status === 'added' ? 'new and executable' : 'executable now'];
  if (oldMode === executable) return ['no longer executable'];
  return oldMode === link || oldMode === submodule
    ? [`a file now, before a ${oldMode === link ? 'symbolic link' : 'submodule'}`]
    : [];
}

/** Who goes by a file outside the program that is built: agents, or what a developer opens the folder with. */
function describeReaders(text: ChangedText): readonly string[] {
  const { path, file } = text;
  const isGone = file.status === 'deleted';
  if (agentNames.test(path)) return [isGone ? 'no longer instructs agents' : `instructs agents${quoteFirst(text)}`];
  return localNames.test(path) && !isGone ? [`runs on the developer's machine${quoteFirst(text)}`] : [];
}

const pipelineSigns: readonly (readonly [RegExp, (found: string) => string])[] = [
  [/\bpull_request_target\b/, () => 'runs with secrets on the code of strangers (pull_request_target)'],
  [/^\s*(?:permissions:\s*write-all|[\w-]+:\s*write\s*$)/, (found) => `may write: ${found.trim()}`],
  [/\bsecrets\.\w+/, (found) => `reads ${found}`],
  [/\b(?:curl|wget)\b[^\n|]*\|\s*(?:sudo\s+)?(?:ba|z)?sh\b/, () => 'runs what it downloads'],
  [/\buses:\s*\S+/, (found) => `runs ${found.replace(/uses:\s*/, '').replace(/(@[0-9a-f]{10})[0-9a-f]{30}$/, '$1')}`],
];

function describePipeline({ added, removed, file }: ChangedText): readonly string[] {
  if (file.status === 'deleted') return ['a pipeline is gone'];
  const found = pipelineSigns.flatMap(([pattern, words]) => {
    const before = new Set(removed.map((line) => pattern.exec(line)?.[0].trim()));
    return added.flatMap((line) => {
      const match = pattern.exec(line)?.[0];
      return match === undefined || before.has(match.trim()) ? [] : [words(match)];
    });
  });
  return found.length > 0 ? [...new Set(found)] : [`changes what runs on each push${quoteFirst({ added, removed })}`];
}

function listSetupMarks(text: ChangedText, isManifestChanged: boolean): readonly ReadingMark[] {
  const { kind, file } = text;
  if (kind === 'lock')
    return makeMark('dependencies', [
      ...describeSources(text),
      ...(isManifestChanged ? [] : ['changed, and no list of dependencies did']),
    ]);
  if (kind === 'build')
    return makeMark('build', file.status === 'deleted' ? [] : [`changes how it is built${quoteFirst(text)}`]);
  if (isRegistrySetting(text)) return makeMark('dependencies', describeSources(text));
  if (kind !== 'dependencies') return [];
  const { dependencies, rest } = findDependencyChanges(text);
  return [...makeMark('build', rest), ...makeMark('dependencies', dependencies)];
}

/** So many lines less are a deletion in themselves. */
const manyLines = 20;

function describeDeletion({ file, kind, added, removed }: ChangedText): readonly string[] {
  if (kind === 'made' || kind === 'lock') return [];
  const [gone, come] = [removed.filter(isRealLine).length, added.filter(isRealLine).length];
  if (file.status === 'deleted')
    return [removed.length === 0 ? 'deleted' : `deleted with ${formatCount(file.deletions, 'line')}`];
  return gone >= manyLines && gone >= 3 * come ? [`${formatCount(gone, 'line')} removed, ${come} added`] : [];
}

const saysSo =
  /@generated\b|\bdo not (?:edit|modify)\b|\b(?:auto|automatically)[- ]?generated\b|\bcode generated\b|\bgenerated (?:by|from|with)\b/i;
const outputPlaces =
  /(?:^|\/)(?:dist|vendor|third_party|node_modules|generated|__generated__|gen)\/|\.pb\.(?:go|cc|h)$|_pb2(?:_grpc)?\.pyi?$|\.generated\.\w+$|\.g\.(?:dart|cs)$|\.designer\.cs$|_generated\.\w+$/i;
const headLines = 12;

/** Why a file may pass for one that tools write, though its name is not that of one. */
export function whyLooksGenerated(text: ChangedText): readonly string[] {
  const { path, file, kind, hunks, after, isWhole, isWide } = text;
  if (file.status === 'deleted' || kind === 'lock') return [];
  // Any author can name a file so, and it runs all the same.
  if (kind === 'made') return [`named like generated files (${nameOfMade(path)})`];
  if (file.hasNul) return isMedia(path) ? [] : ['binary: none of its lines were read'];
  const first = hunks[0];
  const shown = first !== undefined && first.newStart <= headLines ? first.lines.map(({ text }) => text) : [];
  const head = isWhole ? after.split('\n', headLines) : shown.slice(0, headLines);
  const place = outputPlaces.exec(path)?.[0].replace(/^\//, '');
  return [
    ...(head.some((line) => saysSo.test(line)) ? ['says that it is generated'] : []),
    ...(place === undefined ? [] : [`named like generated files (${place})`]),
    ...(isWide ? ['has very long lines'] : []),
  ];
}
