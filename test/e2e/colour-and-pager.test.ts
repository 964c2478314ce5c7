import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeExecProject, writeDecisions, writePlan } from '../support/exec-project.ts';
import { flame } from '../support/flame.ts';
import { programEnd, programFolder, startProgram } from '../support/program.ts';
import { makeTempDir, type TestRepo } from '../support/repo.ts';
import { hasPseudoTerminal, openScreen } from '../support/screen.ts';
import { testIf } from '../support/skip.ts';

const opening = '\u001b[';
const testScreen = testIf(test, hasPseudoTerminal(), 'script of util-linux is missing: no pseudo-terminal');

test('CLI-2: color.flame and color.ui say whether there is colour, as for git', async () => {
  const repo = await makeSession();
  const isColored = async (settings: readonly string[], argv: readonly string[] = []): Promise<boolean> => {
    const options = settings.flatMap((setting) => ['-c', setting]);
    const child = startProgram(repo, [...options, 'flame', 'status', ...argv], { command: ['git'] });
    return (await programEnd(child)).stdout.includes(opening);
  };
  assert.is(await isColored([]), false);
  assert.is(await isColored(['color.ui=always']), true);
  assert.is(await isColored(['color.ui=auto']), false);
  assert.is(await isColored(['color.ui=always', 'color.flame=never']), false);
  assert.is(await isColored(['color.ui=never', 'color.flame=always']), true);
  assert.is(await isColored(['color.ui=always'], ['--no-color']), false);
  assert.is(await isColored(['color.ui=always'], ['--plain']), false);
  repo.git('config', 'color.ui', 'always');
  assert.is((await flame(repo, ['status'])).stdout.includes(opening), true);
  assert.is((await flame(repo, ['status'], { env: { NO_COLOR: '1' } })).stdout.includes(opening), false);
  assert.is((await flame(repo, ['show', 'nothing'])).stderr.includes(opening), true);
});

testScreen('CLI-2: a terminal has colour unless git says never', async () => {
  const repo = await makeSession();
  const shown = async (command: string): Promise<string> => show(repo, command, { GIT_PAGER: 'cat' });
  assert.ok((await shown('git flame status')).includes(opening));
  assert.not.ok((await shown('git -c color.ui=never flame status')).includes(opening));
  assert.not.ok((await shown('git -c color.flame=false flame status --nonsense')).includes(opening));
});

testScreen('log and show go through the pager of git, and only at a terminal', async () => {
  const repo = await makeSession();
  const pager = join(makeTempDir(), 'pager');
  const paged = join(repo.path, '.git', 'paged');
  writeFileSync(pager, `#!/bin/sh\nprintf '%s\\n' "$LESS" >"${paged}"\ncat >>"${paged}"\n`);
  chmodSync(pager, 0o755);
  const isPaged = async (command: string, env: Readonly<Record<string, string>> = {}): Promise<boolean> => {
    writeFileSync(paged, '');
    await show(repo, command, { GIT_PAGER: pager, ...env });
    return readFileSync(paged, 'utf8') !== '';
  };
  assert.is(await isPaged('git flame log'), true);
  assert.match(readFileSync(paged, 'utf8'), /^FRX\n[\s\S]*\u001b\[[\s\S]*task approved/);
  assert.is(await isPaged('git-flame show task-001 --diff'), true);
  assert.is(await isPaged('git flame status'), false);
  assert.is(await isPaged('git -P flame log'), false);
  assert.is(await isPaged('git flame log --json'), false);
  assert.is(await isPaged('git -c pager.flame=false flame log'), false);
  assert.is(await isPaged('git flame log', { GIT_PAGER: '', PAGER: 'cat' }), false);
  assert.is(await isPaged('sh -c "git flame log | cat"'), false);
  assert.match(await show(repo, 'git flame log', { GIT_PAGER: 'no-such-pager' }), /task approved/);
});

/** What a command shows at a terminal, escapes and all. */
async function show(repo: TestRepo, command: string, env: Readonly<Record<string, string>>): Promise<string> {
  const seen = join(makeTempDir(), 'seen');
  const screen = openScreen(`script -qec '${command}' ${seen}`, {
    cwd: repo.path,
    env: { ...repo.env, PATH: `${programFolder}:${repo.env.PATH ?? ''}`, ...env },
  });
  await screen.end('');
  return existsSync(seen) ? readFileSync(seen, 'utf8') : '';
}

async function makeSession(): Promise<TestRepo> {
  const repo = makeExecProject();
  const plan = writePlan(repo, [{ id: 'task-001', script: 'true', locks: ['a.txt'] }]);
  const decisions = writeDecisions(repo, { plan: ['approve'] });
  const planned = await flame(repo, ['plan', 'Build it', '--from', plan, '--decisions-file', decisions]);
  assert.is(planned.code, 0, planned.stderr);
  return repo;
}

test.run();
