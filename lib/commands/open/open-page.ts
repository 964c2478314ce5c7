import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { makeRunFolder } from '../../cell/run-folder.ts';
import type { Io } from '../../domain/shown/command.ts';
import { escapeHtml } from '../../ui/page/escape-html.ts';
import type { ReviewPage } from '../../ui/review-page/open-review-page.ts';
import { openBrowser } from '../../ui/terminal/run-program.ts';
import { randomName } from '../../util/short-names.ts';

/**
 * Starts the person's browser on a file of their own that leads to the page: what a program is started with is seen
 * by everybody on the machine. The file goes once it was followed; what is returned removes it if it never was. A
 * browser that may not read it shows an error: the address is at the terminal, too.
 */
export function openPage(
  io: Io,
  commonDir: string,
  page: Pick<ReviewPage, 'openingUrl'>,
): () => Promise<void> {
  try {
    return openThroughFile(io, commonDir, page);
  } catch {
    // Without a place for the file no browser is started.
    return async () => undefined;
  }
}

function openThroughFile(
  io: Io,
  commonDir: string,
  page: Pick<ReviewPage, 'openingUrl'>,
): () => Promise<void> {
  const folder = makeRunFolder(commonDir, randomName('page'));
  const file = join(folder.root, 'review.html');
  const url = page.openingUrl(() => void folder.remove());
  writeFileSync(file, leadTo(url), { mode: 0o600 });
  openBrowser(io, pathToFileURL(file).href);
  return folder.remove;
}

function leadTo(url: string): string {
  const address = escapeHtml(url);
  return [
    '<!doctype html>',
    '<meta charset="utf-8">',
    '<meta name="referrer" content="no-referrer">',
    `<meta http-equiv="refresh" content="0; url=${address}">`,
    '<title>git flame review</title>',
    `<p><a href="${address}">To the review page</a>, once.</p>`,
    '',
  ].join('\n');
}
