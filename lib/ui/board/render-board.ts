import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../util/own-folders.ts';
import { fillTemplate, readTemplate } from '../page/page-template.ts';

/**
 * The page that the board is drawn in: nothing of a session is in it yet. `nonce`: what style and script are let in by;
 * `hasReview`: the review page is served below it.
 */
export function renderBoard(nonce: string, hasReview: boolean): string {
  return fillTemplate('board', {
    nonce,
    review: hasReview,
    style: readTemplate('page.css') + readTemplate('board.css'),
    script: readFileSync(join(packageRoot(), 'dist', 'board-page.js'), 'utf8'),
  });
}
