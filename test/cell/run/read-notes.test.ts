import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readAgentNotesFile } from '../../../lib/cell/run/conclude-run.ts';
import { agentNotesFileName } from '../../../lib/domain/ports/adapter.ts';
import { makeTempDir } from '../../support/repo.ts';

const nothing = { notes: '', warnings: [] };

test('QUE-3 only a plain file is read: no link is followed, no pipe is waited for', () => {
  const tmp = makeTempDir('flame-notes');
  const path = join(tmp, agentNotesFileName);
  assert.equal(readAgentNotesFile(tmp), nothing);
  writeFileSync(join(tmp, 'secret'), 'of the person');
  symlinkSync(join(tmp, 'secret'), path);
  assert.equal(readAgentNotesFile(tmp), nothing);
  execFileSync('rm', [path]);
  execFileSync('mkfifo', [path]);
  assert.equal(readAgentNotesFile(tmp), nothing);
  execFileSync('rm', [path]);
  mkdirSync(path);
  assert.equal(readAgentNotesFile(tmp), nothing);
});

test('QUE-3 of a file of ten megabytes the beginning is read, and that is said', () => {
  const tmp = makeTempDir('flame-notes');
  writeFileSync(join(tmp, agentNotesFileName), Buffer.alloc(10_000_000, 0xe9));
  const { notes, warnings } = readAgentNotesFile(tmp);
  assert.is(notes.length, 65_536);
  assert.equal(warnings, ['its file for notes has 10000000 bytes, and only the first 65536 are read']);
});

test.run();
