import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createConfinementFinding } from '../../../lib/commands/doctor/examine-enforcement.ts';
import { examineCredential, findConfiguredAdapters } from '../../../lib/commands/doctor/examine-programs.ts';
import { parseObjectId } from '../../../lib/domain/ids.ts';
import { openGit } from '../../../lib/git/open-git.ts';
import { createTasks, openTestStore, sampleTask } from '../../store/sample.ts';
import { makeExecProject, writeDecisions, writePlan } from '../../support/exec-project.ts';
import { type FlameRun, flame, lookOnly } from '../../support/flame.ts';
import { makeRepo, makeTempDir, type TestRepo } from '../../support/repo.ts';
import { hasBubblewrap, testIf } from '../../support/skip.ts';
import { trusted } from '../../support/trusted.ts';
import { openTrial } from './trial.ts';

const inCell = testIf(test, hasBubblewrap(), 'bubblewrap cannot make a cell here');
const ref = 'refs/blueflame/tasks';

interface Shown {
  readonly area: string;
  readonly check: string;
  readonly result: string;
  readonly required: boolean;
  readonly message: string;
  readonly hints: readonly string[];
}

interface Examined {
  readonly code: number;
  readonly sound: boolean;
  readonly findings: readonly Shown[];
  of(check: string): readonly Shown[];
}

async function examine(
  repo: TestRepo,
  env: Readonly<Record<string, string>> = {},
  argv = ['doctor'],
): Promise<Examined> {
  const { code, stdout } = await flame(repo, [...argv, '--json'], { env });
  const { sound, findings } = JSON.parse(stdout) as { sound: boolean; findings: Shown[] };
  return { code, sound, findings, of: (check) => findings.filter((one) => one.check === check) };
}

const look = (repo: TestRepo): Promise<Examined> => examine(repo, {}, lookOnly);

inCell('UNI-7 on a machine that has all, each phase is proven by trying it, and nothing stays', async () => {
  const repo = makeExecProject();
  const { code, sound, findings, of } = await examine(repo);
  assert.equal([code, sound], [0, true], JSON.stringify(findings));
  for (const check of ['decision-server', 'confinement', 'sample-branch', 'git', 'node', 'refs', 'none'])
    assert.is(of(check)[0]?.result, 'proven', check);
  for (const check of ['limit-memory', 'limit-cpu', 'limit-processes'])
    assert.ok(['proven', 'weaker'].includes(of(check)[0]?.result ?? ''), JSON.stringify(of(check)));
  assert.equal(readdirSync(join(repo.path, '.git/blueflame/run')), []);
  assert.is(repo.git('status', '--porcelain'), '');
  assert.is(repo.git('for-each-ref', 'refs/blueflame'), '');
});

inCell('a person reads it phase by phase, and what is missing ends with 1', async () => {
  const repo = makeRepo();
  repo.write('.blueflame.yml', 'adapters: { claude: { command: [/nonexistent/claude] } }\n');
  trusted(repo);
  const { code, stdout } = await flame(repo, ['doctor']);
  assert.is(code, 1);
  assert.match(stdout, /^Phase 1, the watcher.*\n {2}proven {3}An allowed call.*\n\nPhase 2.*\n {2}proven/, stdout);
  assert.match(stdout, /\n {2}missing {2}The program of adapter claude was not found.*\n {11}next: Install/);
  assert.match(stdout, /Something that agents need is missing\.\n$/);
});

inCell('PLN-1 a missing credential is named where a model is used, and only there', async () => {
  const repo = makeRepo();
  const { code, of } = await examine(repo);
  assert.equal([code, of('credential')[0]?.result], [1, 'missing']);
  assert.match(of('credential')[0]?.hints.join('\n') ?? '', /ANTHROPIC_API_KEY.*CLAUDE_CODE_OAUTH_TOKEN/s);
  const found = async (project: TestRepo, env = {}): Promise<readonly string[]> => {
    const { git, context } = await openTrial(project, env);
    const findings = await examineCredential(context, await findConfiguredAdapters(context));
    const messages = findings.map(({ message }) => message);
    await git.close();
    return messages;
  };
  const [withToken = '', weaker] = await found(repo, { CLAUDE_CODE_OAUTH_TOKEN: 'made-up' });
  assert.match(withToken, /in CLAUDE_CODE_OAUTH_TOKEN; it was not tried/);
  assert.is(weaker, 'A subscription token differs from an API key.');
  assert.is((await found(repo, { CLAUDE_CODE_OAUTH_TOKEN: 'made-up', ANTHROPIC_API_KEY: 'key' })).length, 1);
  assert.equal(await found(makeExecProject()), []);
});

test('SBX-3 without bubblewrap it is missing, required where a run would require it, with what gets out', async () => {
  const env = { PATH: pathWithoutBubblewrap() };
  const unattended = await examine(makeExecProject({ config: { sandbox: { require: null } } }), env);
  assert.equal([unattended.code, unattended.of('confinement')[0]?.required], [1, true]);
  const scripts = await examine(makeExecProject({ config: { sandbox: { require: false } } }), env);
  assert.is(scripts.of('confinement')[0]?.result, 'missing');
  assert.is(scripts.of('confinement')[0]?.required, false);
  assert.is(scripts.code, 0, JSON.stringify(scripts.findings));
  const repo = makeExecProject({ config: { sandbox: { require: true } } });
  const required = await examine(repo, env);
  assert.equal([required.code, required.of('confinement')[0]?.required], [1, true]);
  const { stdout } = await flame(repo, ['doctor'], { env });
  assert.match(stdout, /It wrote .*\n.*It connected to a port/s);
  assert.is(repo.git('status', '--porcelain'), '');
});

test('SBX-3 a cell of sandbox-exec that holds is weaker, and said not to be tried on a Mac', () => {
  const limits = { missing: [] } as unknown as Parameters<typeof createConfinementFinding>[0]['limits'];
  const missing = ['The profile for macOS was written without a Mac at hand.'];
  const judge = (confinement: 'seatbelt' | 'watched', escapes: readonly string[]): string => {
    const { result, details } = createConfinementFinding(
      { confinement, missing, limits, cure: [] },
      { works: true, escapes },
    );
    return [result, ...details].join(': ');
  };
  assert.is(judge('seatbelt', []), `weaker: ${missing[0]}`);
  assert.is(judge('seatbelt', ['It wrote /x.']), `missing: ${missing[0]}: It wrote /x.`);
  assert.is(judge('watched', []), `missing: ${missing[0]}`);
});

test('ANY-2 doctor names what brings a cell on this machine', () => {
  const limits = { missing: [] } as unknown as Parameters<typeof createConfinementFinding>[0]['limits'];
  const cure = ['sudo sysctl -w kernel.unprivileged_userns_clone=1'];
  const { hints } = createConfinementFinding(
    { confinement: 'watched', missing: [], limits, cure },
    { works: true, escapes: [] },
  );
  assert.equal(hints, cure);
});

test('SBX-3 without a sandbox each start says so, and where it is required none is made', async () => {
  const env = { PATH: pathWithoutBubblewrap() };
  const start = async (require: boolean): Promise<FlameRun> => {
    const repo = makeExecProject({ config: { sandbox: { require } } });
    const plan = writePlan(repo, [{ id: 'task-001', script: 'echo x > src/x', locks: ['src/x'] }]);
    const decisions = writeDecisions(repo, { plan: ['approve'], changesets: ['approve'] });
    return flame(repo, ['run', 'Work', '--from', plan, '--decisions-file', decisions], { env });
  };
  const refused = await start(true);
  assert.is(refused.code, 1);
  assert.match(refused.stderr, /Agents need a sandbox, and this machine has none.*sandbox: \{ require: false \}/s);
  assert.match((await start(false)).stderr, /No sandbox: only the watcher and the post-check confine what agents run/);
});

test('STA-7 a note that cannot be read is named with its ref and object, and the hints repair it', async () => {
  const repo = makeExecProject();
  const store = await openTestStore(repo);
  await createTasks(store, [sampleTask('task-001')]);
  await store.close();
  const [line = ''] = repo
    .git('ls-tree', '-r', ref)
    .split('\n')
    .filter((one) => !one.includes('anchors/'));
  const [, , blob = '', path = ''] = line.split(/[ \t]/);
  const junk = repo.git('hash-object', '-w', '.blueflame.yml');
  const tree = mktree(repo, repo.git('ls-tree', '-r', ref).replace(blob, junk));
  repo.git('update-ref', ref, repo.git('commit-tree', '-m', 'junk', '-p', ref, tree));
  const { code, of } = await look(repo);
  const [problem] = of('note');
  assert.is(code, 0);
  assert.match(problem?.message ?? '', new RegExp(`${ref} .*${junk}`), path);
  const [repair, show = '', find = '', back = ''] = problem?.hints ?? [];
  assert.is(repair, 'git flame doctor --repair');
  assert.match(repo.git(...words(show)), /schema_version/);
  const commit =
    repo
      .git(...words(find))
      .split('\n')
      .at(-1) ?? '';
  repo.git(...words(back.replace(/^.*: /, '').replace('<commit>', commit)));
  assert.is((await look(repo)).of('refs')[0]?.result, 'proven');
});

test('STA-7 a ref that is no state at all is named, and work cannot start', async () => {
  const repo = makeExecProject();
  repo.git('update-ref', ref, repo.git('hash-object', '-w', 'README.md'));
  const { code, of } = await look(repo);
  const [problem] = of('refs');
  assert.equal([code, problem?.result], [1, 'missing']);
  assert.match(problem?.message ?? '', new RegExp(`^${ref} .* is a blob`));
  assert.not.ok(problem?.hints.includes('git flame doctor'));
  const last = problem?.hints.find((hint) => hint.includes('update-ref -d')) ?? '';
  repo.git(...words(last.replace(/^.*: /, '')));
  assert.is((await look(repo)).of('refs')[0]?.result, 'proven');
});

test('LIF-4 what a killed run left is said, a configuration with mistakes too', async () => {
  const repo = makeExecProject();
  const port = await openGit({ cwd: repo.path, env: repo.env });
  const cell = await port.addCellWorktree(
    `${repo.path}.trees/worker-1a2b3c4d`,
    parseObjectId(repo.git('rev-parse', 'HEAD')),
  );
  await port.close();
  const common = join(repo.path, '.git/blueflame');
  mkdirSync(join(common, 'run/worker-1a2b3c4d'), { recursive: true });
  writeFileSync(join(common, 'run/worker-1a2b3c4d/owner.json'), '{"pid":4194304,"start":"1"}');
  mkdirSync(join(common, 'locks/ses-1.lock'), { recursive: true });
  utimesSync(join(common, 'locks/ses-1.lock'), 1, 1);
  repo.write('.blueflame.yml', 'concurrency: { development: 99 }\n');
  const { code, of } = await look(repo);
  assert.match(of('run-folder')[0]?.message ?? '', /run\/worker-1a2b3c4d belongs to a command that has ended/);
  assert.match(of('worktree')[0]?.message ?? '', new RegExp(`${cell.path} of no task is kept`));
  assert.match(of('session-lock')[0]?.message ?? '', /Session ses-1 was locked/);
  assert.is(of('configuration')[0]?.result, 'missing');
  assert.is(code, 1);
});

test('outside a repository it cannot work', async () => {
  const run = await flame(makeRepo(), ['doctor'], { cwd: makeTempDir() });
  assert.is(run.code, 128);
});

function words(command: string): string[] {
  return command.split(' ').slice(1);
}

function mktree(repo: TestRepo, listing: string): string {
  const env = { ...repo.env, GIT_INDEX_FILE: join(makeTempDir(), 'index') };
  const options = { cwd: repo.path, env, encoding: 'utf8' } as const;
  execFileSync('git', ['update-index', '--index-info'], { ...options, input: `${listing}\n` });
  return execFileSync('git', ['write-tree'], options).trim();
}

/** A bubblewrap that may not do anything is found first. */
function pathWithoutBubblewrap(): string {
  const folder = makeTempDir();
  writeFileSync(join(folder, 'bwrap'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
  return `${folder}:${process.env.PATH}`;
}

test.run();
