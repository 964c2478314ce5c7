import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { listProgramNeighbours } from '../../../lib/cell/sandbox/system-paths.ts';

test('SBX-3 what lies beside programs of a home is covered, but for locks that are gone a moment later', () => {
  const home = mkdtempSync(join(tmpdir(), 'beside-'));
  try {
    const shims = join(home, '.pyenv/shims');
    mkdirSync(shims, { recursive: true });
    for (const name of ['python', '.pyenv-shim', '.netrc', 'deploy.pem']) writeFileSync(join(shims, name), '');
    writeFileSync(join(home, '.pyenv', '.env'), '');
    assert.equal(
      [...listProgramNeighbours([shims], [home])].sort(),
      [join(home, '.pyenv/.env'), join(shims, '.netrc'), join(shims, 'deploy.pem')].sort(),
    );
  } finally {
    rmSync(home, { recursive: true });
  }
});

test.run();
