// At a release: the Unreleased part of CHANGELOG.md gets the given version and the lines of docs/changes, whose files go.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const [version = ''] = process.argv.slice(2);
if (!/^\d+\.\d+\.\d+$/.test(version)) throw new Error('Say which version: node .ci/join-changes.mjs 0.2.0');
const names = readdirSync('docs/changes').filter((name) => name !== 'README.md');
const lines = names.map((name) => readFileSync(`docs/changes/${name}`, 'utf8').trim());
const date = new Date().toISOString().slice(0, 10);
const [head = '', ...sections] = readFileSync('CHANGELOG.md', 'utf8').split(/^(?=## )/m);
const unreleased = sections[0]?.startsWith('## Unreleased\n') ? sections.shift().split('\n').slice(1) : [];
const text = [...unreleased, ...lines].join('\n').trim();
writeFileSync('CHANGELOG.md', [head, `## ${version} – ${date}\n\n${text}\n\n`, ...sections].join(''));
for (const name of names) rmSync(`docs/changes/${name}`);
