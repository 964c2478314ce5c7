import type { ChildProcess } from 'node:child_process';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { stringify } from 'yaml';
import { packageRoot } from '../lib/util/user-folders.ts';
import { printedAddress, visitBoard } from './support/board.ts';
import { hasChromium, launchChromium, openTab } from './support/chromium.ts';
import { writeDecisions } from './support/exec-project.ts';
import { programEnd, runProgram, startProgram } from './support/program.ts';
import { hermeticEnv, makeTempDir, openRepo, type TestRepo } from './support/repo.ts';
import { trusted } from './support/trusted.ts';

// npm run pictures: takes the pictures of the documents again, of a session whose workers are scripts.

const sample = join(packageRoot(), 'test/data/bookshelf');
const pictures = join(packageRoot(), 'docs/pictures');
const viewport = { width: 1280, height: 800 };
const mostBytes = 250_000;

if (!hasChromium()) throw new Error('chromium is not installed.');
const repo = makeBookshelf();
await runTo(2, ['run', 'Rate limits for the public API', '--from', 'plan.yml']);
const browser = await launchChromium();
try {
  await takeReview(browser);
  await decide();
  await takeBoard(browser);
} finally {
  await browser.close();
}

/** The sample as a repository whose workers are scripts. */
function makeBookshelf(): TestRepo {
  const folder = makeTempDir('flame-pictures');
  const [path, agent] = [join(folder, 'bookshelf'), join(folder, 'agent')];
  cpSync(join(sample, 'repository'), path, { recursive: true });
  cpSync(join(sample, 'agent'), agent, { recursive: true });
  const { GIT_AUTHOR_DATE: _author, GIT_COMMITTER_DATE: _committer, ...env } = hermeticEnv;
  const made = openRepo(path, env);
  const config = {
    schema_version: 2,
    project: { name: 'bookshelf', base_branch: 'main' },
    roles: { worker: { adapter: 'exec' } },
    adapters: { exec: { command: ['node', join(agent, 'agent.js')] } },
    permissions: { allowed_paths: ['src/**', 'test/**', 'docs/**', 'client/**'] },
    validation: { validator_diagnostics: { commands: ['node --test'] } },
    limits: { max_retries: 0, agent_timeout: '1h' },
  };
  made.write('.blueflame.yml', stringify(config));
  made.git('init', '-q', '-b', 'main');
  made.commit('Bookshelf 2.3');
  return trusted(made);
}

/** Runs a command with the plan approved beforehand, and holds it to its exit code. */
async function runTo(expected: number, argv: readonly string[]): Promise<void> {
  const decisions = writeDecisions(repo, { plan: ['approve'] });
  const from = argv.map((word) => (word.endsWith('.yml') ? join(sample, word) : word));
  const { code, stderr } = await runProgram(repo, [...from, '--decisions-file', decisions]);
  if (code !== expected) throw new Error(`git flame ${argv.join(' ')} ended with ${code}: ${stderr}`);
}

/** A changeset that waits, with a comment on a line. */
async function takeReview(browser: Browser): Promise<void> {
  const child = startProgram(repo, ['review', '--web', '--no-open']);
  await withEnd(child, async () => {
    const { page } = await openTab(browser, await printedAddress(child, 'Review page'), viewport);
    await page.locator('nav button[data-id="1-limits"]').click();
    const line = page.locator('tr', { hasText: 'Retry-After' }).first();
    await line.locator('td.n.w').click();
    await page.keyboard.type('Whole seconds, please: round up.');
    await page.keyboard.press('Control+Enter');
    await page.locator('h1', { hasText: 'limits' }).click();
    await take(page, 'review');
  });
}

/** One changeset lands, a task of the other goes back, and more tasks are added. */
async function decide(): Promise<void> {
  const back = ['--reject', 'Retry-After must be whole seconds.', '--tasks', 'task-002'];
  await runTo(0, ['review', '--changeset', 'limits', ...back]);
  await runTo(0, ['review', '--changeset', 'settings', '--approve']);
  await runTo(0, ['review', '--changeset', 'limits', '--approve']);
  await runTo(0, ['task', 'add', '--from', 'more.yml']);
}

/** The board while agents work on the tasks that were added. */
async function takeBoard(browser: Browser): Promise<void> {
  const child = startProgram(repo, ['run', '--web', '--no-open']);
  await withEnd(child, async () => {
    const url = await printedAddress(child, 'Board');
    await visitBoard(url).until(({ agents }) => agents.length === 3 && agents.every(({ activity }) => activity !== ''));
    const { page } = await openTab(browser, url, viewport);
    await take(page, 'board');
  });
}

async function withEnd(child: ChildProcess, work: () => Promise<void>): Promise<void> {
  const ended = programEnd(child);
  try {
    await work();
  } finally {
    child.kill('SIGINT');
    await ended;
  }
}

async function take(page: Page, name: string): Promise<void> {
  mkdirSync(pictures, { recursive: true });
  const path = join(pictures, `${name}.png`);
  const png = await page.screenshot({ animations: 'disabled', caret: 'hide' });
  if (png.length > mostBytes) throw new Error(`${path} has ${png.length} bytes, more than ${mostBytes}.`);
  writeFileSync(path, png);
  process.stdout.write(`${path}  ${Math.ceil(png.length / 1000)} kB\n`);
}
