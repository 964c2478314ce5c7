import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { runProgram } from '../support/program.ts';
import { makeRepo, makeTempDir } from '../support/repo.ts';

test('--version reads nothing of the program and starts no git', async () => {
  const repo = makeRepo();
  const folder = makeTempDir('flame-cost');
  const [preload, report] = [join(folder, 'preload.cjs'), join(folder, 'report.json')];
  // git writes a file there for each process.
  const traces = makeTempDir('flame-traces');
  writeFileSync(preload, recorder);
  const readBy = async (...argv: readonly string[]): Promise<readonly string[]> => {
    const { code, stderr } = await runProgram(repo, argv, {
      env: { NODE_OPTIONS: `--require ${preload}`, FLAME_TEST_REPORT: report, GIT_TRACE2_EVENT: traces },
    });
    assert.is(code, 0, stderr);
    const read: readonly string[] = JSON.parse(readFileSync(report, 'utf8'));
    return read.filter((name) => name.endsWith('.cjs'));
  };
  assert.equal(await readBy('--version'), ['main.cjs']);
  assert.equal(readdirSync(traces), []);
  assert.match((await readBy('help')).join(' '), /^main\.cjs program-[A-Z0-9]{8}\.cjs$/);
});

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
