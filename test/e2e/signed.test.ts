import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test as all } from 'uvu';
import * as assert from 'uvu/assert';
import { stringify } from 'yaml';
import { parseSessionId } from '../../lib/domain/ids.ts';
import type { SignatureNote } from '../../lib/domain/state/signatures.ts';
import { openStore } from '../../lib/store/open-store.ts';
import { saveSessionSignature } from '../../lib/store/write/notes-outside-state.ts';
import { cloneStateDir } from '../../lib/util/user-folders.ts';
import { writeDecisions } from '../support/exec-project.ts';
import { flame, flameJson } from '../support/flame.ts';
import { start } from '../support/kill-rig.ts';
import { assertRefused } from '../support/refusal.ts';
import { openRepo, type TestRepo } from '../support/repo.ts';
import { forge, makeShared, notePath } from '../support/shared-project.ts';
import { testIf } from '../support/skip.ts';
import { hasSshKeys, makeSshKey, signWith } from '../support/ssh-key.ts';
import { trusted } from '../support/trusted.ts';

// TRU-2: what was decided in another clone counts here where somebody signed it whom this clone's person named.

type Fields = Readonly<Record<string, unknown>>;

const test = testIf(all, hasSshKeys, 'ssh-keygen is missing');
const lea = makeSshKey();
const byLea = `lea@example.com ${lea.key}`;

/** A clone whose decisions are signed by its syncs, and one that may name who signs. */
async function makeSigned(
  options: Pick<NonNullable<Parameters<typeof makeShared>[0]>, 'upTo'> = {},
): Promise<{ readonly here: TestRepo; readonly there: TestRepo }> {
  const { repo, clone } = await makeShared({ ...options, config: { trust: { sign: true } } });
  signWith(repo, lea);
  return { there: repo, here: await clone() };
}

/** Says in this clone, and in no other, whose decisions count. */
function name(repo: TestRepo, signers: readonly string[], others: Fields = {}): string {
  const project = { name: 'sample', base_branch: 'main' };
  const roles = { worker: { adapter: 'exec' } };
  repo.write('../named.yml', stringify({ schema_version: 1, project, roles, trust: { signers }, ...others }));
  const config = join(dirname(repo.path), 'named.yml');
  trusted(repo, { config });
  return config;
}

async function proposalsIn(repo: TestRepo, config: string): Promise<Fields> {
  const run = await flameJson(repo, ['status', '--config', config]);
  return { ...(run.lines[0]?.proposals ?? {}) };
}

const checks = (command: string): Fields => ({
  validation: { validator_diagnostics: { commands: [command] } },
});

const nothing = { session: false, tasks: [], approvals: [], raised_limit: null, verdicts: [] };

/** Approves in a clone what can't land there, so that it is left to others. */
async function approveOnly(repo: TestRepo): Promise<void> {
  repo.write('src/a.txt', 'not committed\n');
  assert.is((await flame(repo, ['review', '--approve'])).code, 1);
  repo.git('checkout', '-q', 'src/a.txt');
  assert.is((await flame(repo, ['sync'])).code, 0);
}

test('TRU-2 two clones of one person: what was decided in one is asked in the other, and not where both name the key', async () => {
  const { here, there } = await makeSigned({ upTo: 'plan' });
  const asking = await flame(here, ['sync']);
  assert.match(asking.stdout, /not used until you accept it: 1 session, 1 task to run/);
  const alone = name(here, []);
  assertRefused(await flame(here, ['run', '--config', alone]), { code: 2, says: 'waits for a person' });
  // From here on nobody is asked about the plan, in either clone, and each waits at the gate of its own work.
  const config = name(here, [byLea]);
  assert.equal(await proposalsIn(here, config), nothing);
  assertRefused(await flame(here, ['run', '--config', config]), {
    code: 2,
    says: 'Changeset main waits for a person',
  });
  assert.is((await flame(there, ['sync'])).code, 0);
});

test('TRU-2 sync names what counts and who signed it; an approval that is signed lands, proven here', async () => {
  const { here, there } = await makeSigned();
  const config = name(here, [byLea], checks('true'));
  const first = await flame(here, ['sync', '--config', config]);
  assert.match(first.stdout, /^Counts here, because lea@example\.com signed it: 1 session, 1 task to run, 1 verdict$/m);
  assert.is(/not used until/.test(first.stdout), false, first.stdout);
  await approveOnly(there);
  const second = await flameJson(here, ['sync', '--config', config]);
  const { signed, proposals } = second.lines[0] ?? {};
  assert.equal(Object.values(signed ?? {}), [{ ...nothing, approvals: ['1-main'] }]);
  assert.equal(proposals, {});
  const landed = await flame(here, ['run', '--config', config]);
  assert.is(landed.code, 0, landed.stderr);
  assert.match(landed.stderr, /Changeset 1-main landed on main/);
  assert.is(here.git('show', 'main:src/one.txt'), '1');
});

test('TRU-2 an end that is signed counts where its signer is named, and nowhere else', async () => {
  const { here, there } = await makeSigned();
  const alone = name(here, []);
  assert.is((await flame(here, ['sync'])).code, 0);
  const decisions = writeDecisions(here, { plan: ['approve'] });
  const accepted = await flame(here, ['work', '--config', alone, '--decisions-file', decisions]);
  assert.is(accepted.code, 0, accepted.stderr);
  assert.is((await flame(there, ['review', '--approve'])).code, 0);
  assert.is((await flame(there, ['sync'])).code, 0);
  const tip = there.git('rev-parse', 'refs/blueflame/signatures');
  assert.match((await flame(here, ['sync', '--config', alone])).stdout, /Reported by another clone/);
  const stateIn = async (config: string): Promise<unknown> => {
    const { session, tasks, doubts } = (await flameJson(here, ['status', '--config', config])).lines[0] ?? {};
    return [(session as Fields).state, (tasks as Fields[])[0]?.status, doubts === undefined];
  };
  assert.equal(await stateIn(alone), ['active', 'done', false]);
  const config = name(here, [byLea]);
  assert.equal(await stateIn(config), ['ended', 'merged', true]);
  // An end is signed once.
  assert.is((await flame(there, ['sync'])).code, 0);
  assert.is(there.git('rev-parse', 'refs/blueflame/signatures'), tip);
  name(here, []);
  assert.equal(await stateIn(config), ['active', 'done', false]);
});

test('TRU-2 a signed approval lands nothing that this clone finds red, or outside the locks of its tasks', async () => {
  const { here, there } = await makeSigned();
  await approveOnly(there);
  const red = name(here, [byLea], checks('false'));
  assert.is((await flame(here, ['sync'])).code, 0);
  const before = here.git('rev-parse', 'main');
  const run = await flame(here, ['run', '--config', red]);
  assert.is.not(run.code, 0, run.stderr);
  assert.match(run.stderr, /diagnostics fail/);
  assert.is(here.git('rev-parse', 'main'), before);
  // Signed by a clone whose person is named, and merged with more than its task wrote.
  const other = await makeSigned();
  await smuggle(other.there, 'BACKDOOR.sh');
  const config = name(other.here, [byLea]);
  assert.is((await flame(other.here, ['sync', '--config', config])).code, 0);
  const tip = other.here.git('rev-parse', 'main');
  const refused = await flame(other.here, ['run', '--config', config]);
  assert.is.not(refused.code, 0, refused.stderr);
  assert.match(refused.stderr, /BACKDOOR\.sh/);
  assert.is(other.here.git('rev-parse', 'main'), tip);
});

/** Has a clone approve and sign a changeset that holds a file which none of its tasks may write. */
async function smuggle(repo: TestRepo, file: string): Promise<void> {
  const session = (await flameJson(repo, ['status'])).lines[0]?.session as Fields;
  const { openDecisionLog } = await import('../../lib/trust/decisions/open-decision-log.ts');
  const { toApprovalDecision, toChangesetBuiltDecision } = await import('../../lib/core/admission/make-decisions.ts');
  const { parseObjectId } = await import('../../lib/domain/ids.ts');
  const decided = openDecisionLog({ env: repo.env, commonDir: join(repo.path, '.git') });
  await forge(repo, ({ current }) => {
    const [set] = current?.changesets ?? [];
    if (current === null || set === undefined || current.id !== session.id) return [];
    const blob = execFileSync('git', ['hash-object', '-w', '--stdin'], {
      ...{ cwd: repo.path, env: repo.env, input: 'rm -rf /\n', encoding: 'utf8' },
    }).trim();
    const index = { GIT_INDEX_FILE: join(repo.path, '.git/smuggled'), ...repo.env };
    const git = (...args: string[]): string =>
      execFileSync('git', args, { cwd: repo.path, env: index, encoding: 'utf8' }).trim();
    git('read-tree', set.commit);
    git('update-index', '--add', '--cacheinfo', `100644,${blob},${file}`);
    const parents = git('log', '-1', '--format=%P', set.commit)
      .split(' ')
      .flatMap((parent) => ['-p', parent]);
    const commit = parseObjectId(git('commit-tree', git('write-tree'), ...parents, '-m', 'main: One'));
    const changed = { ...set, commit, state: 'approved' as const, decided_by: 'Lea Lead <lea@example.com>' };
    decided.record([toChangesetBuiltDecision(current, changed), toApprovalDecision(current, changed)]);
    return [{ subject: 'smuggled', session: { ...current, wave: 'review', changesets: [changed] } }];
  });
  assert.is((await flame(repo, ['sync'])).code, 0);
}

test('TRU-2 a signer who is taken out of the list counts at once no more, nor what was done on his word', async () => {
  const { here } = await makeSigned({ upTo: 'plan' });
  const config = name(here, [byLea]);
  assert.is((await flame(here, ['sync'])).code, 0);
  for (const argv of [['work'], ['validate']])
    assert.is((await flame(here, [...argv, '--config', config])).code, 0, argv.join());
  assert.equal(await proposalsIn(here, config), nothing);
  name(here, []);
  const left = await proposalsIn(here, config);
  assert.equal([left.session, left.tasks], [true, ['task-001']]);
  assertRefused(await flame(here, ['run', '--config', config]), { code: 2, says: 'waits for a person' });
  // Named again, he counts again; named by a file that was not allowed, he doesn't.
  name(here, [byLea]);
  assert.equal(await proposalsIn(here, config), nothing);
  here.write('../named.yml', stringify({ schema_version: 1, trust: { signers: [byLea, byLea] } }));
  assert.is((await proposalsIn(here, config)).session, true);
  const sync = await flame(here, ['sync', '--config', config]);
  assert.match(sync.stderr, /trust\.sign and trust\.signers had no effect: you have not allowed/);
});

test('TRU-2 what is signed can be verified by the commands of REFS.md alone', async () => {
  const { there } = await makeSigned({ upTo: 'plan' });
  const page = readFileSync('REFS.md', 'utf8');
  const blocks = [...page.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, text = '']) => text);
  const script = blocks.find((text) => text.includes('ssh-keygen -Y verify')) ?? '';
  const session = there.git('ls-tree', '--name-only', 'refs/blueflame/signatures:anchors');
  const verify = (signer: string): string => {
    there.write('.git/signers', `${signer}\n`);
    const env = { ...there.env, session, signers: '.git/signers' };
    return execFileSync('sh', ['-euc', script], { cwd: there.path, env, encoding: 'utf8' });
  };
  assert.match(verify(byLea), /^Good "git-flame" signature for lea@example\.com/);
  assert.throws(() => verify(`lea@example.com ${makeSshKey().key}`));
});

test('TRU-2 a signature that was moved, forged or made by a stranger counts for nothing, and sync says why', async () => {
  const { here, there } = await makeSigned({ upTo: 'plan' });
  const config = name(here, [byLea]);
  assert.is((await flame(here, ['sync'])).code, 0);
  const stranger = makeSshKey();
  for (const [why, change] of [
    [/none of trust\.signers names its key for lea@example\.com/, () => signWith(there, stranger)],
    [/it does not sign the decisions it comes with/, () => undefined],
  ] as const) {
    change();
    await rewriteSeals(there, (seals) => seals.map((seal) => ({ ...seal, decisions: ['0'.repeat(64)] })));
    if (why.source.startsWith('none')) assert.is((await flame(there, ['sync'])).code, 0);
    else there.git('push', '-q', 'origin', 'refs/blueflame/signatures');
    const synced = await flame(here, ['sync', '--config', config]);
    assert.match(synced.stderr, why);
    assert.match(synced.stderr, /the signature of lea@example\.com does not count/);
    assert.is((await proposalsIn(here, config)).session, true);
    assertRefused(await flame(here, ['run', '--config', config]), { code: 2, says: 'waits for a person' });
  }
});

async function rewriteSeals(
  repo: TestRepo,
  change: (seals: SignatureNote['seals']) => SignatureNote['seals'],
): Promise<void> {
  const context = { cwd: repo.path, env: repo.env };
  const options = { context, commonDir: join(repo.path, '.git'), objectFormat: 'sha1' } as const;
  const store = await openStore(options);
  for (const { session, seals } of await store.signatures())
    for (const seal of change(seals)) await saveSessionSignature(options, parseSessionId(session), seal);
  await store.close();
}

test('TRU-2 a key that has run out stays so when the clock is set back', async () => {
  const { here } = await makeSigned({ upTo: 'plan' });
  const config = name(here, [`lea@example.com valid-before="20990101Z" ${lea.key}`]);
  assert.is((await flame(here, ['sync'])).code, 0);
  assert.equal(await proposalsIn(here, config), nothing);
  const file = join(cloneStateDir(here.env, join(here.path, '.git')), 'latest-time');
  writeFileSync(file, '2099-06-01T00:00:00.000Z\n');
  assert.is((await proposalsIn(here, config)).session, true);
  assert.match((await flame(here, ['sync', '--config', config])).stderr, /its key is not valid at 2099-06-01/);
});

test('TRU-2 an approval that its signer took back does not count where somebody puts it back', async () => {
  const { here, there } = await makeSigned();
  const config = name(here, [byLea]);
  await approveOnly(there);
  const held = there.git('rev-parse', 'refs/blueflame/signatures');
  let approved: Fields = {};
  await forge(there, ({ current }) => {
    approved = { changesets: current?.changesets };
    return [];
  });
  there.git('commit', '-q', '--allow-empty', '-m', 'the base moves on');
  for (const argv of [['review'], ['sync']]) await flame(there, argv);
  assert.is((await flame(here, ['sync', '--config', config])).code, 0);
  await forge(there, ({ current }) =>
    current === null ? [] : [{ subject: 'put back', session: { ...current, ...approved } }],
  );
  there.git('push', '-q', 'origin', 'refs/blueflame/sessions');
  assert.is((await flame(here, ['sync', '--config', config])).code, 0);
  const before = here.git('rev-parse', 'main');
  assert.equal((await proposalsIn(here, config)).approvals, ['1-main']);
  // Neither where the signatures are put back of when it held: this clone has seen it taken back.
  here.git('update-ref', 'refs/blueflame/signatures', held);
  const run = await flame(here, ['run', '--config', config]);
  assert.is.not(run.code, 0, run.stderr);
  assert.is(here.git('rev-parse', 'main'), before);
});

test('TRU-2 sync signs nothing anew that is signed, and sends nothing where the key does not work', async () => {
  const { there } = await makeSigned({ upTo: 'plan' });
  const tip = there.git('rev-parse', 'refs/blueflame/signatures');
  assert.is((await flame(there, ['sync'])).code, 0);
  assert.is(there.git('rev-parse', 'refs/blueflame/signatures'), tip);
  assert.is((await flame(there, ['task', 'edit', 'task-001', '--title', 'Two'])).code, 0);
  const sent = there.git('ls-remote', 'origin', 'refs/blueflame/tasks');
  for (const [key, value, next] of [
    ['user.signingKey', '/nonexistent/key', 'git flame sync'],
    ['gpg.format', 'openpgp', 'git config gpg.format ssh'],
    ['gpg.ssh.program', join(there.path, 'src/a.txt'), 'git config --unset-all gpg.ssh.program'],
  ] as const) {
    signWith(there, lea);
    there.git('config', key, value);
    const refused = await flame(there, ['sync']);
    assertRefused(refused, { code: 1, says: /could not be signed|lies inside the repository/, next });
    assert.is(there.git('ls-remote', 'origin', 'refs/blueflame/tasks'), sent);
  }
  there.git('config', '--unset-all', 'gpg.ssh.program');
  assert.is((await flame(there, ['sync'])).code, 0);
  assert.is.not(there.git('rev-parse', 'refs/blueflame/signatures'), tip);
});

test('TRU-2 a kill between signing and sharing leaves nothing to mend: the next sync shares what was signed', async () => {
  const { there } = await makeSigned({ upTo: 'plan' });
  mkdirSync(join(dirname(there.path), 'tmp'));
  assert.is((await flame(there, ['task', 'edit', 'task-001', '--title', 'Two'])).code, 0);
  const ref = 'refs/blueflame/signatures';
  const isShared = (): boolean => there.git('ls-remote', 'origin', ref).split('\t')[0] === there.git('rev-parse', ref);
  let between = 0;
  for (let at = 1; ; at += 1) {
    const run = start(there, ['sync'], { FLAME_TEST_KILL_AT: `${at}` });
    if (run.signal === null) {
      assert.is(run.code, 0, run.stderr);
      break;
    }
    if (!isShared()) between += 1;
  }
  assert.ok(between > 0);
  assert.ok(isShared());
  const path = notePath(there, ref, there.git('ls-tree', '--name-only', `${ref}:anchors`));
  const { seals } = JSON.parse(there.git('show', `${ref}:${path}`)) as SignatureNote;
  assert.is(seals.length, 1);
});

test('TRU-2 a shallow clone signs nothing, since it cannot tell which repository it is; whole again, it does', async () => {
  const { there } = await makeSigned({ upTo: 'plan' });
  there.write('src/a.txt', 'two\n');
  there.commit('feat: two');
  there.git('push', '-q', 'origin', 'main');
  const path = join(dirname(there.path), 'shallow');
  there.git('clone', '-q', '-b', 'main', '--depth=1', `file://${join(dirname(there.path), 'remote.git')}`, path);
  const shallow = openRepo(path, there.env);
  signWith(shallow, lea);
  trusted(shallow);
  assert.is((await flame(shallow, ['sync'])).code, 0);
  assert.is((await flame(shallow, ['task', 'add', 'More', '--locks', 'src/more.txt'])).code, 0);
  assertRefused(await flame(shallow, ['sync']), {
    code: 1,
    says: 'as in a shallow clone',
    next: 'git fetch --unshallow',
  });
  shallow.git('fetch', '-q', '--unshallow');
  const whole = await flame(shallow, ['sync']);
  assert.is(whole.code, 0, whole.stderr);
});

all.run();
