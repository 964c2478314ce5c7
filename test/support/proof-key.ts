import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** The tests that prove what real agent CLIs do under the tool: the dearest ones, and the same as long as nothing they depend on changes. */
export const proofs = /^clis\//;
const shownBy = 'test/clis';
// A CLI meets nothing else of the project: its version, how it is started, its hook, its cell and its prompts.
const dependsOn = [
  '.ci/clis.json',
  'hooks',
  'docs/models.md',
  'lib/agents',
  ...['canary', 'entry', 'gateway', 'run', 'sandbox', 'watcher'].map((room) => `lib/cell/${room}`),
  ...['planner', 'worker', 'validator', 'merger', 'queen', 'last-word'].map((name) => `templates/${name}.ejs`),
  shownBy,
];

/** Where the key is kept with which all proofs passed. */
export const provenKeyFile = 'test/proven-key.txt';

/** A digest of all files that the proofs depend on, in hexadecimal. */
export function proofKey(root: string): string {
  const hash = createHash('sha256');
  for (const path of dependsOn.flatMap((part) => listFiles(root, part)).sort())
    hash
      .update(`${path}\0`)
      .update(readFileSync(join(root, path)))
      .update('\0');
  return hash.digest('hex');
}

function listFiles(root: string, path: string): string[] {
  if (statSync(join(root, path)).isFile()) return [path];
  return readdirSync(join(root, path)).flatMap((name) => listFiles(root, `${path}/${name}`));
}
