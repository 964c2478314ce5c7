import { createHash } from 'node:crypto';
import { FlameError } from '../../domain/flame-error.ts';
import { changesetStateWords } from '../../domain/state/changeset-facts.ts';
import type { Patch } from '../../domain/state/patch.ts';
import { deriveSessionTitle } from '../../domain/state/session-facts.ts';
import { fillTemplate, readTemplate } from '../page/page-template.ts';
import { listChapterViews } from './chapter-views.ts';
import type { PageFacts, PageSource, ReviewedChangeset, ReviewPagePreferences } from './page-facts.ts';
import { renderChangesetPage } from './render-changeset-page.ts';
import { layoutOf, renderHunksAsHtml } from './render-diff-part.ts';
import { renderState } from './render-page.ts';
import { splitHunksIntoParts } from './split-hunks.ts';

interface ExportOptions {
  readonly layout: ReviewPagePreferences['layout'];
  /** When it was written, as people read it. */
  readonly at: string;
}

/**
 * Renders the page as one file to send: every line of every changeset, no script, nothing that is fetched, nothing that
 * can be decided. In pieces, in order: a large one is longer than a string can be.
 */
export async function* renderExport(
  facts: PageFacts,
  source: Pick<PageSource, 'patch' | 'since' | 'guide'>,
  { layout, at }: ExportOptions,
): AsyncGenerator<string> {
  const style = readTemplate('page.css') + readTemplate('review.css') + readTemplate('review-export.css');
  const hash = createHash('sha256').update(style).digest('base64');
  const { changesets } = renderState(facts, 'ended', '');
  const whole = fillTemplate('review-export', {
    session: facts.session,
    title: deriveSessionTitle(facts.session),
    style,
    hash,
    changesets,
    stateWords: changesetStateWords,
    at,
  });
  const [head = '', tail = ''] = whole.split('<!-- changesets -->');
  yield head;
  for (const one of facts.changesets) yield* renderWhole(one, source, layout);
  yield tail;
}

async function* renderWhole(
  facts: ReviewedChangeset,
  source: Pick<PageSource, 'patch' | 'since' | 'guide'>,
  layout: ReviewPagePreferences['layout'],
): AsyncGenerator<string> {
  let patch: Patch | FlameError;
  try {
    patch = await source.patch(facts.changeset, { ignoresSpace: false });
  } catch (error) {
    if (!(error instanceof FlameError)) throw error;
    patch = error;
  }
  const files = 'files' in patch ? patch.files : [];
  // The content of files is escaped, so none of it looks like the empty place where its lines go.
  const since = await source.since(facts.changeset);
  const guide = 'files' in patch ? await source.guide(facts.changeset, patch).catch(() => null) : null;
  const chapters = listChapterViews(patch, guide);
  const page = renderChangesetPage(facts, patch, { listsFiles: true, since, chapters });
  const pieces = page.split('<div class="lines"></div>');
  const order = chapters.flatMap((chapter) => chapter.files.map(({ index }) => index));
  for (const [at, piece] of pieces.entries()) {
    const file = files[order[at] ?? -1];
    yield piece;
    if (file === undefined) continue;
    yield '<div class="lines">';
    for (const part of splitHunksIntoParts(file.hunks())) yield renderHunksAsHtml(part, layoutOf(file, layout));
    yield '</div>';
  }
}
