import type { TaskId } from '../ids.ts';
import type { CoveredFile } from './verdict.ts';

/** The order in which a changeset explains itself, and what in it deserves a second look. */
export interface ReadingGuide {
  /** In the order to read them; none is empty. Each changed file is in exactly one. */
  readonly chapters: readonly ReadingChapter[];
}

/**
 * subject: what the changeset is about; consequence: files that follow from it, or have no link to it; then tests,
 * the project's set-up, documents, files that only moved, and generated or binary ones. There may be several
 * chapters of a kind: two subjects, or files that look generated (shown) and that are by their name (folded).
 */
export type ReadingChapterKind = 'subject' | 'consequence' | 'tests' | 'documents' | 'setup' | 'moved' | 'generated';

export interface ReadingChapter {
  readonly kind: ReadingChapterKind;
  /** Heading, a few words: `lib/auth`, `Tests`, `3 files that only moved`. */
  readonly title: string;
  /** Whether its files are shown closed at first. */
  readonly isFolded: boolean;
  readonly files: readonly GuidedFile[];
}

export interface GuidedFile {
  readonly path: string;
  readonly insertions: number;
  readonly deletions: number;
  /** Why it changed, as its worker claims; null: the worker gave no reason. */
  readonly why: ClaimedReason | null;
  /** Computed; the gravest first. */
  readonly marks: readonly ReadingMark[];
  /** First and last line of what was added and no test ran, by coverage reports; absent: none is known. */
  readonly lines_not_run?: CoveredFile['ranges'];
}

export interface ClaimedReason {
  readonly task: TaskId;
  /** One line, unchecked outside text. */
  readonly text: string;
}

/** Why a file deserves a second look. */
export interface ReadingMark {
  readonly kind: ReadingMarkKind;
  /** The evidence, one line: `parseToken is gone`, `no test changed or names it`, `2 assertions fewer`. */
  readonly reason: string;
}

/** The gravest first. */
export const readingMarkKinds = [
  'weaker-check',
  'hidden-text',
  'permissions',
  'ci',
  'machine',
  'build',
  'dependencies',
  'deletion',
  'public-name',
  'no-test',
  'looks-generated',
] as const;
export type ReadingMarkKind = (typeof readingMarkKinds)[number];
