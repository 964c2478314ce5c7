// At a release: puts the lines of docs/changes into CHANGELOG.md under the version that is given, and removes their files.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const [version = ''] = process.argv.slice(2);
if (!/^\d+\.\d+\.\d+$/.test(version)) throw new Error('Say which version: node .ci/join-changes.mjs 0.2.0');
const names = readdirSync('docs/changes').filter((name) => name !== 'README.md');
const lines = names.map((name) => readFileSync(`docs/changes/${name}`, 'utf8').trim());
const date = new Date().toISOString().slice(0, 10);
const [head = '', ...rest] = readFileSync('CHANGELOG.md', 'utf8').split(/^(?=## )/m);
writeFileSync('CHANGELOG.md', [head, `## ${version} – ${date}\n\n${lines.join('\n')}\n\n`, ...rest].join(''));
for (const name of names) rmSync(`docs/changes/${name}`);
