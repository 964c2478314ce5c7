import {
  chmodSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { CellSnapshot } from '../../../lib/domain/ports/git-cells.ts';
import { hideContentsFromAgentGit } from '../../../lib/git/cells/hide-contents.ts';
import { agentGit, openFixture } from '../cell-fixture.ts';

const { port, head, tree } = await openFixture();
const cell = await port.addScratchWorktree(tree('check-1'), head);
const at = (path: string): string => join(cell.path, path);
writeFileSync(at('.gitignore'), 'ignored\n');
writeFileSync(at('ignored'), 'one');
writeFileSync(at('untracked'), 'one');

async function changesBy(act: () => void): Promise<readonly string[]> {
  const before = await port.snapshotCell(cell);
  act();
  return changed(before, await port.snapshotCell(cell));
}

function changed(before: CellSnapshot, after: CellSnapshot): readonly string[] {
  const paths = new Set([...before.keys(), ...after.keys()]);
  return [...paths].filter((path) => before.get(path) !== after.get(path)).sort();
}

test('VAL-2: looking changes nothing', async () => {
  assert.equal(await changesBy(() => readFileSync(at('ignored'))), []);
});

test('WAT-10 VAL-2: what hides files from the git of the cell is no change of its agent', async () => {
  assert.equal(await changesBy(() => hideContentsFromAgentGit(cell.quarantine, ['.env'])), []);
});

test('VAL-2: ignored and untracked files count, whatever their times say', async () => {
  const { atime, mtime } = statSync(at('ignored'));
  const rewrite = (): void => {
    writeFileSync(at('ignored'), 'two');
    utimesSync(at('ignored'), atime, mtime);
  };
  assert.equal(await changesBy(rewrite), ['ignored']);
  assert.equal(await changesBy(() => chmodSync(at('untracked'), 0o755)), ['untracked']);
  assert.equal(await changesBy(() => rmSync(at('untracked'))), ['untracked']);
});

test('VAL-2: folders, links and other names for the same file count', async () => {
  assert.equal(await changesBy(() => mkdirSync(at('empty/er'), { recursive: true })), ['empty', 'empty/er']);
  assert.equal(await changesBy(() => symlinkSync('/etc', at('link'))), ['link']);
  assert.equal(await changesBy(() => renameSync(at('ignored'), at('moved'))), ['ignored', 'moved']);
});

test('VAL-2: HEAD, index and refs of its own git folder count', async () => {
  const commit = (): void => {
    agentGit(cell, 'commit', '-q', '--allow-empty', '-m', 'mine');
  };
  assert.ok((await changesBy(commit)).includes('.git/HEAD'));
  assert.equal(await changesBy(() => agentGit(cell, 'add', 'moved', '-f')), ['.git/index']);
});

test.after(() => port.close());
test.run();
