import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as assert from 'uvu/assert';
import { prepareBrowserOpening } from '../../lib/commands/run-context/review-page-opener.ts';
import { makeFakeIo } from '../support/fake-io.ts';
import { makeTempDir } from '../support/repo.ts';
import { until } from '../support/until.ts';
import { pageSuite } from './browser.ts';
import type { Served } from './fixture.ts';

const { test, open, visitUrl, run } = await pageSuite('how a browser is led to the review page');

/** Opens the page in a browser that only notes what it was started with. */
async function openNoted(served: Served): Promise<{ words: string; url: string; forget(): Promise<void> }> {
  const folder = makeTempDir();
  const browser = join(folder, 'browser');
  const noted = join(folder, 'noted');
  writeFileSync(browser, `#!/bin/sh\nprintf '%s\\n' "$@" > ${noted}.new && mv ${noted}.new ${noted}\n`, {
    mode: 0o755,
  });
  const { io } = makeFakeIo({ cwd: folder, env: { PATH: process.env.PATH ?? '', BROWSER: browser } });
  const forget = prepareBrowserOpening(io, join(served.repo.path, '.git'), served.page);
  await until('the browser is started', () => existsSync(noted));
  const words = readFileSync(noted, 'utf8').trim();
  return { words, url: words, forget };
}

const anyChange = [{ group: 'one', change: (repo: Served['repo']) => repo.write('README.md', '# Changed\n') }] as const;

test('REV-2: a browser is started with the name of a private file, which leads to the page and is gone then', async () => {
  const served = await open([...anyChange]);
  const { words, url } = await openNoted(served);
  assert.match(words, /^file:\/\/\/\S+\/review\.html$/);
  assert.not.match(words, /ticket|token|127\.0\.0\.1/);
  const file = fileURLToPath(url);
  assert.is(statSync(file).mode & 0o777, 0o600);
  assert.is(statSync(dirname(file)).mode & 0o777, 0o700);
  assert.match(readFileSync(file, 'utf8'), /ticket=/);
  const { page } = await visitUrl(url);
  await page.waitForURL(/\/\?token=/);
  await page.locator('#bar-words').waitFor();
  await until('the file is gone', () => !existsSync(file));
});

test('REV-2: the file of a browser that never followed it goes with the page', async () => {
  const served = await open([...anyChange]);
  const { url, forget } = await openNoted(served);
  await forget();
  assert.not.ok(existsSync(dirname(fileURLToPath(url))));
});

run();
