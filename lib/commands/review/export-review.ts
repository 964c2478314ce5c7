import { randomBytes } from 'node:crypto';
import { chmodSync, createWriteStream, lstatSync, renameSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { asDiskFullError, noDiskSpaceError } from '../../domain/disk-errors.ts';
import { FlameError } from '../../domain/flame-error.ts';
import { noChangesetError } from '../../domain/input-errors.ts';
import type { Patch } from '../../domain/state/patch.ts';
import type { CommandArgs, Io } from '../../domain/view-models/command.ts';
import { tryComputeChangesSinceSeen } from '../../engine/review/changes-since-seen.ts';
import { readReadingGuide } from '../../engine/review/read-guide.ts';
import type { PageFacts } from '../../ui/review-page/page-facts.ts';
import { formatTime } from '../../util/format-figures.ts';
import { shellQuote } from '../../util/shell-quote.ts';
import { describeFileError } from '../../util/write-files.ts';
import type { ReadContext } from '../context/open-read-context.ts';
import { openPagePreferences, readPageFacts } from '../run-context/review-page-opener.ts';

/** `git flame review --export FILE`: the review page as a file that stands alone; `-` is standard output. */
export async function exportReview(
  args: CommandArgs<'review'>,
  io: Io,
  { git, store, shown, output, selected }: ReadContext,
  target: string,
): Promise<number> {
  const { commonDir } = git.repository;
  const snapshot = await store.snapshot();
  const session = selected.require(snapshot);
  const facts = only(readPageFacts(snapshot, { session, commonDir }), args.options.changeset);
  const { renderExport } = await import('../../ui/review-page/render-export.ts');
  const { layout } = await openPagePreferences(commonDir).read();
  const source = {
    patch: ({ parent, commit }: Changeset) => git.readPatch(parent, commit),
    guide: (changeset: Changeset, patch: Patch) =>
      readReadingGuide({ git }, { changeset, tasks: snapshot.tasksOf(session.id) }, patch),
    since: async (changeset: Changeset) => {
      const tasks = snapshot.tasksOf(session.id).filter(({ id }) => changeset.tasks.includes(id));
      return tryComputeChangesSinceSeen({ git, events: output.events }, session, { changeset, tasks });
    },
  };
  const pieces = renderExport(facts, source, { layout, at: formatTime(new Date().toISOString()) });
  const changesets = facts.changesets.map(({ changeset }) => changeset);
  const note = (): void => shown.recordSeen(session.id, changesets);
  if (target === '-') {
    for await (const piece of pieces) io.stdout.write(piece);
    note();
    return 0;
  }
  const file = resolve(io.cwd, target);
  await writeInOneStep(file, pieces).catch((cause: NodeJS.ErrnoException) => {
    throw cause instanceof FlameError ? cause : cannotWrite(file, cause);
  });
  note();
  output.info(`The review was written to ${file}.`);
  output.json({ file, changesets: facts.changesets.map(({ changeset }) => changeset.id) });
  return 0;
}

/** An earlier file stays where it fails. What is no plain file, such as a pipe, is written as it is. */
async function writeInOneStep(file: string, pieces: AsyncIterable<string>): Promise<void> {
  const earlier = lstatSync(file, { throwIfNoEntry: false });
  const isPlain = earlier?.isFile() ?? true;
  const making = isPlain ? `${file}.${randomBytes(4).toString('hex')}.new` : file;
  try {
    await pipeline(Readable.from(pieces), createWriteStream(making));
    if (isPlain && earlier !== undefined) chmodSync(making, earlier.mode & 0o777);
    if (isPlain) renameSync(making, file);
  } catch (error) {
    if (isPlain) rmSync(making, { force: true });
    throw error;
  }
}

type Changeset = PageFacts['changesets'][number]['changeset'];

function only(facts: PageFacts, group: string | null): PageFacts {
  const changesets = facts.changesets.filter(({ changeset }) => group === null || changeset.group === group);
  if (changesets.length > 0) return { ...facts, changesets };
  const message =
    group === null
      ? 'There is no changeset in this cycle yet.'
      : `There is no changeset of group ${group} in this cycle.`;
  throw noChangesetError(message, ['git flame status']);
}

function cannotWrite(file: string, cause: NodeJS.ErrnoException): FlameError {
  if (asDiskFullError(cause, '') !== null)
    return noDiskSpaceError(
      `${file} can't be written: the disk is full.`,
      `git flame review --export ${shellQuote(file)}`,
      cause,
    );
  return new FlameError({
    kind: 'usage',
    code: 'cannot-write',
    message: `${file} can't be written: ${describeFileError(cause)}.`,
    hints: ['git flame review --export review.html'],
    cause,
  });
}
