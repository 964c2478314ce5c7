import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';

// What a person waits for must not load what it doesn't use. Lazy imports are followed by the command alone.

test('status loads no package but the table of widths: what the build made of the schemas of notes is none', () => {
  const files = staticClosure(['lib/cli/main.ts', 'lib/commands/status/status.ts']);
  assert.ok(files.size > 30, 'the imports were followed');
  const packages = [...files].flatMap(packagesOf);
  assert.equal([...new Set(packages)].sort(), ['flame:plain-notes', 'get-east-asian-width']);
});

test('log loads nothing that writes, and of git what it reads with alone', () => {
  const files = [...staticClosure(['lib/cli/main.ts', 'lib/commands/log.ts'])];
  assert.ok(files.includes('lib/store/notes/read-state-log.ts'), 'the imports were followed');
  const needless = /^lib\/(?:store\/write|git\/(?:cells|worktrees|diff|refs(?!\/reftable\.))|engine|cell)\//;
  assert.equal(
    files.filter((file) => needless.test(file)),
    [],
  );
});

test('the entry loads nothing before it knows what is asked', () => {
  assert.equal([...staticClosure(['lib/cli/entry.ts'])], ['lib/cli/entry.ts', 'lib/util/close-inherited.ts']);
  assert.equal(packagesOf('lib/cli/entry.ts'), []);
});

test('zod is imported as a namespace: a bundle holds all of it otherwise, every language included', () => {
  const wrong = listSources('lib').filter((file) =>
    /^import (?!(?:type )?\* as z from).* from 'zod';/m.test(read(file)),
  );
  assert.equal(wrong, []);
});

function staticClosure(entries: readonly string[]): ReadonlySet<string> {
  const seen = new Set<string>();
  const waiting = [...entries];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (seen.has(file)) continue;
    seen.add(file);
    const folder = dirname(file);
    waiting.push(
      ...specifiers(file)
        .filter((name) => name.startsWith('.'))
        .map((name) => join(folder, name)),
    );
  }
  return seen;
}

function packagesOf(file: string): string[] {
  return specifiers(file).filter((name) => !name.startsWith('.') && !name.startsWith('node:'));
}

/** What a file imports when it's loaded; type imports are gone by then. */
function specifiers(file: string): string[] {
  const statements = read(file).matchAll(/^(?:import|export) (?!type )(?:[^'";]*? from )?'([^']+)';/gm);
  return [...statements].map(([, specifier = '']) => specifier);
}

function read(file: string): string {
  return readFileSync(file, 'utf8');
}

function listSources(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
}

test.run();
