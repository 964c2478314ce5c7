import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test as all } from 'uvu';
import * as assert from 'uvu/assert';
import { parseSessionId } from '../../../lib/domain/ids.ts';
import {
  mostSignaturesOfSession,
  renderSignedSessionText,
  type SessionSignature,
  signatureNamespace,
} from '../../../lib/domain/state/signatures.ts';
import { signTextAsGitWould } from '../../../lib/git/process/ssh-signature.ts';
import { advanceLatestTimeSeen, verifySessionSignatures } from '../../../lib/trust/decisions/verify-signatures.ts';
import { cloneStateDir } from '../../../lib/util/user-folders.ts';
import { makeRepo, makeTempDir, type TestRepo } from '../../support/repo.ts';
import { testIf } from '../../support/skip.ts';
import { hasSshKeys, makeSshKey, type SshKey, signWith } from '../../support/ssh-key.ts';

// TRU-2: whose signature counts, and what it is about.

const session = parseSessionId('ses-20260206-143022-1a2b');
const otherSession = parseSessionId('ses-20260206-143022-3c4d');
const root = 'a'.repeat(40);
const digest = '1'.repeat(64);
const now = new Date('2026-11-22T12:00:00Z');
const test = testIf(all, hasSshKeys, 'ssh-keygen is missing');
const [lea, max] = [makeSshKey(), makeSshKey()];
const repo = makeRepo();
const plain: Omit<SessionSignature, 'signature'> = {
  ...{ repository: root, by: 'lea@example.com', at: '2026-11-22T11:00:00.000Z', place: 'laptop/3f9a1c2b' },
  ...{ decisions: [digest], settled: [] },
};

interface Signing {
  readonly key?: SshKey;
  readonly about?: typeof session;
  readonly namespace?: string;
  readonly changes?: Partial<SessionSignature>;
}

async function sealed({ key = lea, about = session, namespace, changes }: Signing = {}): Promise<SessionSignature> {
  signWith(repo, key);
  const unsigned = { ...plain, ...changes };
  const text = renderSignedSessionText(about, unsigned);
  return {
    ...unsigned,
    signature: await signTextAsGitWould(contextOf(repo), text, namespace ?? signatureNamespace),
  };
}

const contextOf = ({ path, env }: TestRepo): Pick<TestRepo, 'env'> & { cwd: string } => ({ cwd: path, env });

/** Why the signatures of a session don't count, or what they say. */
async function judge(
  seals: readonly SessionSignature[],
  signers: readonly string[],
  options: { readonly at?: Date | null; readonly root?: string | null; readonly replaced?: string } = {},
): Promise<string> {
  const { signed, refused } = await verifySessionSignatures([{ v: 1, rev: 1, session, seals: [...seals] }], {
    ...{ context: contextOf(repo), signers, replaced: new Set([options.replaced ?? '']) },
    at: options.at === undefined ? now : options.at,
    rootOf: async () => (options.root === undefined ? root : options.root),
  });
  return [...[...signed].map((entry) => entry.join(' ')), ...refused.map(({ why }) => why)].join('; ');
}

const counts = `${digest} lea@example.com`;
const named = `lea@example.com ${lea.key}`;

test('TRU-2 a decision counts that somebody signed who is named, by name, pattern or one of several', async () => {
  const seal = await sealed();
  for (const signers of [
    [named],
    [`*@example.com ${lea.key}`],
    [`max@example.com ${max.key}`, `lea@example.org,lea@example.com ${lea.key} on her laptop`],
    [`lea@example.com namespaces="git-flame" ${lea.key}`],
    [`lea@example.com valid-after="20261101Z",valid-before="20261201Z" ${lea.key}`],
  ])
    assert.is(await judge([seal], signers), counts, signers.join());
});

test('TRU-2 a signature that its clone replaced counts no more', async () => {
  const seal = await sealed();
  assert.is(
    await judge([seal], [named], { replaced: seal.signature }),
    'its clone has replaced it since, and it was restored by someone else',
  );
});

test('TRU-2 a signature counts by no key but that of who it is said to be of', async () => {
  const names = /^none of trust\.signers names its key for lea@example\.com$/;
  const byMax = await sealed({ key: max });
  for (const [seal, signers] of [
    // Nobody knows the key; it is somebody else's; it is the right one for other things alone.
    [byMax, [named]],
    [byMax, [named, `max@example.com ${max.key}`]],
    [await sealed(), [`max@example.com ${lea.key}`]],
    [await sealed(), [`lea@example.com namespaces="git" ${lea.key}`]],
  ] as const)
    assert.match(await judge([seal], signers), names, signers.join());
});

test('TRU-2 a signature counts for exactly what was signed', async () => {
  const broken = 'it does not sign the decisions it comes with';
  const seal = await sealed();
  const other = '2'.repeat(64);
  for (const changed of [
    { ...seal, decisions: [digest, other] },
    { ...seal, decisions: [other] },
    { ...seal, decisions: [], settled: [digest] },
    { ...seal, by: 'max@example.com' },
    { ...seal, at: '2026-11-22T11:00:01.000Z' },
    { ...seal, place: 'desktop/3f9a1c2b' },
    { ...seal, signature: 'none' },
    {
      ...seal,
      signature: seal.signature.replace(/.(?=.{10}\n-----END)/, (letter) => (letter === 'A' ? 'B' : 'A')),
    },
    // One of another session, and one that git made of a commit.
    await sealed({ about: otherSession }),
    await sealed({ namespace: 'git' }),
  ])
    assert.is(await judge([changed], [named, `max@example.com ${max.key}`]), broken, JSON.stringify(changed));
});

test('TRU-2 a signature counts in no other repository, and not where its branch is missing', async () => {
  const why = 'it is about another repository, or a branch that is not here';
  const seal = await sealed();
  assert.is(await judge([seal], [named], { root: 'b'.repeat(40) }), why);
  assert.is(await judge([seal], [named], { root: null }), why);
  // What it says of itself is signed as well.
  const moved = { ...seal, repository: 'b'.repeat(40) };
  assert.match(await judge([moved], [named], { root: 'b'.repeat(40) }), /does not sign the decisions/);
});

test('TRU-2 a key counts while it is valid, whenever it says it signed', async () => {
  const seal = await sealed();
  for (const validity of [
    'valid-before="20261122110000Z"',
    'valid-after="20261122130000Z"',
    'namespaces="git-flame",valid-before="20261122115959Z"',
  ])
    assert.is(
      await judge([seal], [`lea@example.com ${validity} ${lea.key}`]),
      'its key is not valid at 2026-11-22T12:00:00.000Z, the latest time this clone has seen',
      validity,
    );
  assert.match(await judge([seal], [named], { at: null }), /^the time can't be saved here/);
});

test('TRU-2 a clock that is set back brings no expired key back to life', async () => {
  const env = { XDG_STATE_HOME: makeTempDir() };
  const commonDir = join(repo.path, '.git');
  const signers = [`lea@example.com valid-before="20261122120000Z" ${lea.key}`];
  const seal = await sealed();
  const [early, late] = [new Date('2026-11-22T11:00:00Z'), new Date('2026-11-22T13:00:00Z')];
  const verdicts: string[] = [];
  for (const clock of [early, late, early])
    verdicts.push(await judge([seal], signers, { at: advanceLatestTimeSeen(env, commonDir, clock) }));
  assert.is(verdicts[0], counts);
  assert.match(verdicts[1] ?? '', /not valid at 2026-11-22T13:00:00\.000Z/);
  assert.is(verdicts[2], verdicts[1]);
  // What is no time counts as none; where nothing can be kept, no time is known.
  writeFileSync(join(cloneStateDir(env, commonDir), 'latest-time'), 'soon\n');
  assert.equal(advanceLatestTimeSeen(env, commonDir, early), early);
  const file = join(makeTempDir(), 'file');
  writeFileSync(file, '');
  assert.is(advanceLatestTimeSeen({ XDG_STATE_HOME: file }, commonDir, early), null);
});

test('TRU-2 what one who is named took back counts for nobody; what a stranger says he took back counts', async () => {
  const signers = [named, `max@example.com ${max.key}`];
  const takenBack = { by: 'max@example.com', decisions: [], settled: [digest] };
  const seal = await sealed();
  assert.is(await judge([seal, await sealed({ key: max, changes: takenBack })], signers), '');
  const forged = { ...seal, ...takenBack };
  assert.is(await judge([seal, forged], signers), `${counts}; it does not sign the decisions it comes with`);
});

test('TRU-2 who floods a session with signatures has programs started for a few of them alone', async () => {
  const seal = await sealed();
  const flood = Array.from({ length: 10 * mostSignaturesOfSession }, () => ({ ...seal, signature: 'none' }));
  const verdict = await judge([...flood, seal], [named]);
  assert.is(verdict.split('; ').length, mostSignaturesOfSession + 1);
  assert.match(verdict, /; 181 signatures are older than the 20 newest of the session, and were not checked;/);
  assert.ok(verdict.startsWith(counts), verdict);
});

all.run();
