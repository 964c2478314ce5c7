import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { packageRoot } from '../../lib/util/package-root.ts';
import { createTasks, openTestStore, sampleSession, sampleTask } from '../store/sample.ts';
import { runProgram } from '../support/program.ts';
import { makeRepo, makeTempDir, type TestRepo } from '../support/repo.ts';

// What a command costs before it does anything, counted: files of the program that are read, processes that are started.

interface Cost {
  readonly packs: readonly string[];
  readonly gits: number;
}

let repo: TestRepo;

test.before(async () => {
  repo = makeRepo();
  const store = await openTestStore(repo);
  await store.transact(() => ({
    actor: 'Lea Lead <lea@example.com>',
    changes: [{ subject: 'session: started', session: sampleSession() }],
  }));
  await createTasks(store, [sampleTask('task-001')]);
  await store.close();
});

test('--version reads no pack and starts no git', async () => {
  assert.equal(await costOf('--version'), { packs: [], gits: 0 });
});

test('help and log are loaded from one pack, status from two', async () => {
  assert.equal((await costOf('help')).packs, ['core']);
  assert.equal((await costOf('log')).packs, ['core']);
  assert.equal((await costOf('status')).packs, ['core', 'look']);
});

test('what was compiled of the packs lies beside them since the build', () => {
  const kept = readdirSync(join(packageRoot(), 'dist')).filter((name) => name.endsWith('.cache'));
  const ours = kept.filter((name) => name.includes(`.${process.version}-`));
  const packs = ours.map((name) => name.replace(/-.*/, ''));
  // What is alone is kept by whoever needed it first.
  assert.equal(
    ['core', 'look', 'work'].filter((name) => !packs.includes(name)),
    [],
  );
});

async function costOf(...argv: readonly string[]): Promise<Cost> {
  const folder = makeTempDir('flame-cost');
  const [preload, report] = [join(folder, 'preload.cjs'), join(folder, 'report.json')];
  // git writes a file there for each process.
  const traces = makeTempDir('flame-traces');
  writeFileSync(preload, recorder);
  const { code, stderr } = await runProgram(repo, argv, {
    env: {
      NODE_OPTIONS: `--require ${preload}`,
      FLAME_TEST_REPORT: report,
      GIT_TRACE2_EVENT: traces,
    },
  });
  assert.is(code, 0, stderr);
  const read: readonly string[] = JSON.parse(readFileSync(report, 'utf8'));
  const packs = read.filter((name) => /^[a-z]+-[0-9a-f]{12}\.cjs$/.test(name));
  return { packs: packs.map((name) => name.replace(/-.*/, '')), gits: readdirSync(traces).length };
}

const recorder = `
  const fs = require('node:fs');
  const { basename } = require('node:path');
  const read = [];
  const { readFileSync } = fs;
  fs.readFileSync = (file, ...rest) => {
    if (typeof file === 'string') read.push(basename(file));
    return readFileSync(file, ...rest);
  };
  process.on('exit', () => fs.writeFileSync(process.env.FLAME_TEST_REPORT, JSON.stringify(read)));
`;

test.run();
