import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { titleOf } from '../../domain/state/session-facts.ts';
import { packageRoot } from '../../util/own-folders.ts';
import { fillTemplate, inlineJson, readTemplate } from '../page/page-template.ts';
import type { KeptReview } from './kept-review.ts';
import type { PageFacts, PagePreferences } from './page-facts.ts';
import type { PageState } from './page-state.ts';

interface PageParts {
  readonly facts: PageFacts;
  readonly state: PageState;
  readonly preferences: PagePreferences;
  readonly kept: KeptReview;
  /** The changeset that is shown first, as HTML; '': the page asks for it. */
  readonly article: string;
  /** The nonce that allows styles and the script. */
  readonly nonce: string;
}

/** The page around the changesets: all it needs is in it. */
export function renderPage({ facts, state, preferences, kept, article, nonce }: PageParts): string {
  const { session } = facts;
  return fillTemplate('review', {
    session,
    title: titleOf(session),
    nonce,
    theme: preferences.theme,
    layout: preferences.layout,
    article,
    style: readTemplate('page.css') + readTemplate('review.css'),
    script: readFileSync(join(packageRoot(), 'dist', 'review-page.js'), 'utf8'),
    data: inlineJson({ state, preferences, kept }),
  });
}
