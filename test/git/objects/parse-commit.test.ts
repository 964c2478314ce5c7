import { execFileSync } from 'node:child_process';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type ObjectId, parseObjectId } from '../../../lib/domain/ids.ts';
import type { CommitInfo } from '../../../lib/domain/ports/git-commits.ts';
import type { ObjectSource } from '../../../lib/git/objects/object-source.ts';
import { parseCommit, readCommit } from '../../../lib/git/objects/read-commits.ts';
import { makeRepo, type TestRepo } from '../../support/repo.ts';

const empty = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';
const one = '1'.repeat(40);
const person = 'Zoë "Z" O\'Neil <zoe@x.example>';

function raw(parts: { author?: string; parents?: string; headers?: string; message?: string }): string {
  const { author = person, parents = '', headers = '', message = 'subject\n\nbody ü\n' } = parts;
  const time = '1700000000 +0200';
  return `tree ${empty}\n${parents}author ${author} ${time}\ncommitter Lea <lea@x> ${time}\n${headers}\n${message}`;
}

const plain: Readonly<Record<string, string>> = {
  'a root commit': raw({}),
  'no final newline': raw({ message: 'subject' }),
  'no message': raw({ message: '' }),
  'blank lines and headers in the message': raw({ message: 'a\n\n\n\nauthor X <x> 1 +0000\ntree y\n' }),
  'a signature': raw({ headers: 'gpgsig -----BEGIN\n \n encoding x\n -----END\n' }),
  'a name of one letter, an empty address': raw({ author: 'Z <>' }),
};

const odd: Readonly<Record<string, string>> = {
  'another encoding': raw({ headers: 'encoding ISO-8859-1\n' }),
  'a NUL': raw({ message: 'a\0b\n' }),
  'empty lines before the message': raw({ message: '\n\nlate\n' }),
  'spaces around the name': raw({ author: '  Zoë  <zoe@x>' }),
  'no name': raw({ author: '<zoe@x>' }),
  'brackets in the name': raw({ author: 'Z < y <zoe@x>' }),
};

for (const [what, text] of Object.entries(plain)) {
  test(`${what}: read as git reads it`, async () => {
    const repo = makeRepo();
    const oid = writeCommit(repo, text);
    assert.equal(parseCommit(oid, Buffer.from(text)), await askGit(repo, oid));
  });
}

test('several parents are in order', async () => {
  const repo = makeRepo();
  const parents = [writeCommit(repo, raw({})), parseObjectId(repo.git('rev-parse', 'HEAD'))];
  const text = raw({ parents: parents.map((parent) => `parent ${parent}\n`).join('') });
  const oid = writeCommit(repo, text);
  assert.equal(parseCommit(oid, Buffer.from(text))?.parents, parents);
  assert.equal(parseCommit(oid, Buffer.from(text)), await askGit(repo, oid));
});

for (const [what, text] of Object.entries(odd)) {
  test(`${what}: left to git`, () => {
    assert.is(parseCommit(parseObjectId(one), Buffer.from(text)), null);
  });
}

test('bytes that are no UTF-8 are left to git', () => {
  assert.is(parseCommit(parseObjectId(one), Buffer.from(raw({ message: 'ü' }), 'latin1')), null);
});

function writeCommit(repo: TestRepo, text: string): ObjectId {
  const args = ['hash-object', '-w', '-t', 'commit', '--literally', '--stdin'];
  const options = { cwd: repo.path, env: repo.env, input: text, encoding: 'utf8' } as const;
  return parseObjectId(execFileSync('git', args, options).trim());
}

function askGit(repo: TestRepo, oid: ObjectId): Promise<CommitInfo> {
  const nothing: ObjectSource = { info: async () => null, read: async () => null };
  return readCommit({ cwd: repo.path, env: repo.env }, nothing, oid);
}

test.run();
