import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { examineDiagnostics } from '../../../lib/commands/doctor/doctor.ts';
import { makeExecProject } from '../../support/exec-project.ts';
import { flame } from '../../support/flame.ts';
import type { TestRepo } from '../../support/repo.ts';
import { hasBubblewrap, testIf } from '../../support/skip.ts';
import { openTrial } from './trial.ts';

const inCell = testIf(test, hasBubblewrap(), 'bubblewrap cannot make a cell here');

interface Shown {
  readonly check: string;
  readonly result: string;
  readonly required: boolean;
  readonly message: string;
  readonly details: readonly string[];
  readonly hints: readonly string[];
}

const checking = (...commands: string[]): Readonly<Record<string, unknown>> => ({
  validation: { validator_diagnostics: { enabled: true, commands } },
});

async function diagnosed(repo: TestRepo): Promise<{ readonly code: number; readonly found: readonly Shown[] }> {
  const { code, stdout } = await flame(repo, ['doctor', '--json']);
  const { findings } = JSON.parse(stdout) as { findings: Shown[] };
  return { code, found: findings.filter(({ check }) => check === 'diagnostics') };
}

/** The same without doctor's other trials. */
async function tried(repo: TestRepo, timeoutMs?: number): ReturnType<typeof examineDiagnostics> {
  const trial = await openTrial(repo);
  const found = await examineDiagnostics(trial, timeoutMs);
  await trial.git.close();
  return found;
}

function assertNothingStays(repo: TestRepo): void {
  assert.is(existsSync(`${repo.path}.trees`), false);
  const runs = join(repo.path, '.git/blueflame/run');
  assert.equal(existsSync(runs) ? readdirSync(runs) : [], []);
  assert.is(repo.git('status', '--porcelain', '--ignored'), '');
  assert.is(repo.git('worktree', 'list').split('\n').length, 1);
  assert.is(repo.git('for-each-ref', 'refs/blueflame'), '');
}

inCell('PLN-1 doctor tries the diagnostics on the base: those that fail are named with the way on', async () => {
  const repo = makeExecProject({ config: checking('true', 'echo broken >&2; touch here; exit 3') });
  const { code, found } = await diagnosed(repo);
  assert.is(found.length, 1, JSON.stringify(found));
  const [{ result, required, message, details, hints } = {} as Shown] = found;
  assert.equal([code, result, required, details], [0, 'missing', false, ['broken']]);
  assert.match(message, /exit 3 fails on main already \(exit 3\), so only a task that fixes it can pass/);
  assert.match(hints.join(), /Fix it first.*validator_diagnostics\.commands/);
  assertNothingStays(repo);
});

inCell('PLN-1 doctor says which diagnostics pass on the base, as it is committed', async () => {
  const repo = makeExecProject({ config: checking('test -e README.md && test ! -e new.txt') });
  repo.write('new.txt', 'not committed\n');
  const [found] = await tried(repo);
  assert.is(found?.result, 'proven', JSON.stringify(found));
  assert.match(found?.message ?? '', /^Tried on main at \w{10}, and passed: test -e README\.md/);
});

inCell('PLN-1 a setup that fails on the base is missing: no agent could start', async () => {
  const setup = { project: { name: 'sample', base_branch: 'main', setup: ['echo no such thing; exit 4'] } };
  const repo = makeExecProject({ config: setup });
  const [found] = await tried(repo);
  assert.equal([found?.result, found?.isRequired], ['missing', true], JSON.stringify(found));
  assert.match(found?.details.join('\n') ?? '', /no such thing/);
  assertNothingStays(repo);
});

inCell('PLN-1 doctor runs no diagnostic of a repository nobody trusts', async () => {
  const repo = makeExecProject({ config: checking('exit 5') });
  repo.write('.blueflame/templates/worker.ejs', 'Work.\n');
  const { found } = await diagnosed(repo);
  assert.is(found[0]?.result, 'weaker', JSON.stringify(found));
  assert.match(found[0]?.message ?? '', /were not tried on the base: you have not allowed/);
  assert.equal(found[0]?.hints, ['git flame trust']);
});

inCell('PLN-1 what doctor finds of the base takes the place of what was remembered of it', async () => {
  const repo = makeExecProject({ config: checking('echo broken >&2; exit 3') });
  await diagnosed(repo);
  const logs = join(repo.path, '.git/blueflame/logs');
  const [name = ''] = readdirSync(logs).filter((file) => file.endsWith('.tried.json'));
  const found = readFileSync(join(logs, name), 'utf8');
  assert.match(found, /"exit_code":3.*broken/);
  writeFileSync(join(logs, name), '[]');
  await diagnosed(repo);
  assert.is(readFileSync(join(logs, name), 'utf8'), found);
});

inCell('PLN-1 doctor waits for diagnostics only so long', async () => {
  const repo = makeExecProject({ config: checking('sleep 600') });
  const [found] = await tried(repo, 1);
  assert.is(found?.result, 'weaker');
  assert.match(found?.message ?? '', /took longer than the 0\.001 s/);
  assertNothingStays(repo);
});

test.run();
