import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { packageRoot } from '../../lib/util/user-folders.ts';
import { type Served, serve } from '../review-page/fixture.ts';
import { hasChromium, launchChromium } from '../support/chromium.ts';
import { makeExecProject, writeDecisions, writePlan } from '../support/exec-project.ts';
import { makeTempDir, type TestRepo } from '../support/repo.ts';
import { program } from './bench-version.ts';
import { type BenchRow, type Figure, medianFigure } from './figures.ts';
import { timeCommands } from './time-commands.ts';

const files = 250;
const linesPerFile = 200;
const rounds = 3;
const stock = join(packageRoot(), 'node_modules', 'diff2html-cli', 'bin', 'diff2html.js');
const lines = (files * linesPerFile).toLocaleString('en');

/** The review of 50,000 changed lines, against the page diff2html-cli makes of the same diff. */
export async function benchReviewPage(): Promise<BenchRow[]> {
  return [await exportRow(), await usableRow()];
}

/** As files: both whole processes. */
async function exportRow(): Promise<BenchRow> {
  const repo = makeWaitingProject();
  const folder = makeTempDir();
  const diff = writeDiff(repo, folder);
  const { ours, other } = await timeCommands(
    {
      ours: {
        argv: [program, 'review', '--export', join(folder, 'ours.html')],
        cwd: repo.path,
        env: repo.env,
      },
      other: { argv: stockArgs(diff, join(folder, 'stock.html')), cwd: folder, env: repo.env },
    },
    rounds,
  );
  return {
    what: `\`review --export\`, ${lines} lines`,
    against: '`diff2html -i file`',
    figures: { ours, other },
    target: null,
  };
}

/** In a browser: from its address to the first line drawn and the page answering again. */
async function usableRow(): Promise<BenchRow> {
  const what = `review page, ${lines} lines`;
  const row = {
    what,
    against: "diff2html-cli's page",
    target: { kind: 'ms', most: 2_000 } as const,
  };
  if (!hasChromium()) return { ...row, figures: null, missing: 'chromium is not installed' };
  const served = await serve([{ group: 'large', change: writeFiles }]);
  const browser = await launchChromium();
  try {
    return { ...row, figures: await timePages(browser, served) };
  } finally {
    await browser.close();
    await served.close();
  }
}

async function timePages(browser: Browser, served: Served): Promise<BenchRow['figures']> {
  const folder = makeTempDir();
  const page = join(folder, 'stock.html');
  execFileSync(process.execPath, stockArgs(writeDiff(served.repo, folder, 'large'), page).slice(1));
  const ours: Figure[] = [];
  const other: Figure[] = [];
  void served.review();
  for (let round = 0; round < rounds; round += 1) {
    ours.push(await timeUntilUsable(browser, served.page.url, 'tr.d2h-ins'));
    other.push(await timeUntilUsable(browser, `file://${page}`, 'td.d2h-ins'));
  }
  return { ours: medianFigure(ours), other: medianFigure(other) };
}

async function timeUntilUsable(browser: Browser, url: string, line: string): Promise<Figure> {
  const page: Page = await browser.newPage({ viewport: { width: 1280, height: 900 }, bypassCSP: true });
  page.setDefaultTimeout(300_000);
  const began = performance.now();
  await page.goto(url, { waitUntil: 'commit', timeout: 300_000 });
  await page.locator(line).first().waitFor();
  await page.mouse.wheel(0, 2_000);
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
  const wall_ms = performance.now() - began;
  await page.close();
  return { wall_ms, cpu_ms: null };
}

function stockArgs(diff: string, page: string): readonly string[] {
  return [process.execPath, stock, '-i', 'file', '-s', 'line', '--su', 'open', '-F', page, '--', diff];
}

function writeDiff(repo: TestRepo, folder: string, tip?: string): string {
  const commit = tip ?? repo.git('for-each-ref', '--format=%(objectname)', 'refs/blueflame/changesets').split('\n')[0];
  const diff = join(folder, 'changes.diff');
  const text = execFileSync('git', ['diff', 'main', commit ?? ''], {
    cwd: repo.path,
    env: repo.env,
    maxBuffer: 1 << 30,
  });
  writeFileSync(diff, text);
  return diff;
}

function writeFiles(repo: TestRepo): void {
  for (let file = 1; file <= files; file += 1) repo.write(`src/${file}.ts`, contentOf(file));
}

function contentOf(file: number): string {
  const all = Array.from(
    { length: linesPerFile },
    (_, at) => `export const value${at} = ${file} * ${at}; // line ${at}`,
  );
  return `${all.join('\n')}\n`;
}

function makeWaitingProject(): TestRepo {
  const repo = makeExecProject();
  const script = `for file in $(seq ${files}); do seq ${linesPerFile} | sed "s|.*|export const value& = $file * &; // line &|" > "src/$file.ts"; done`;
  writePlan(repo, [{ id: 'large', script, locks: ['src/'] }]);
  writeDecisions(repo, { plan: ['approve'] });
  try {
    execFileSync(
      program,
      ['run', 'A large change', '--from', '.git/plan.yml', '--decisions-file', '.git/decisions.yml', '--quiet'],
      { cwd: repo.path, env: repo.env, stdio: 'ignore' },
    );
  } catch {
    // It ends with 2: the changeset waits for a person.
  }
  return repo;
}
