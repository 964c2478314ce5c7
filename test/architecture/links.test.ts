import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { fences, listDocuments } from '../support/documents.ts';

const documents = listDocuments();

test('each relative link of a document leads to a file, and its anchor to a heading', () => {
  const links = documents.flatMap((path) => linksOf(path).map((link) => ({ path, link })));
  assert.ok(links.length > 50, `${links.length} links were found`);
  const broken = links.filter(({ path, link }) => !isThere(path, link));
  assert.equal(
    broken.map(({ path, link }) => `${path}: ${link}`),
    [],
  );
});

test('a heading has the anchor that hosts give it', () => {
  const text = '# One, `two` (3)\n\n## A [link](b.md)\n## Same\n## Same\n\n```\n# no heading\n```\n';
  assert.equal([...anchorsOf(text)], ['one-two-3', 'a-link', 'same', 'same-1']);
});

function linksOf(path: string): readonly string[] {
  const text = readFileSync(path, 'utf8')
    .replace(fences, '')
    .replace(/`[^`\n]*`/g, '');
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link).filter((link) => !/^[a-z]+:/.test(link));
}

function isThere(from: string, link: string): boolean {
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? from : normalize(join(dirname(from), path));
  if (!existsSync(target)) return false;
  return anchor === undefined || anchorsOf(readFileSync(target, 'utf8')).has(anchor);
}

/** Letters, digits, `_` and `-` of each heading in lower case; the second of a name ends in -1, and so on. */
function anchorsOf(text: string): ReadonlySet<string> {
  const anchors = new Set<string>();
  for (const [, heading = ''] of text.replace(fences, '').matchAll(/^#{1,6} +(.*?) *$/gm)) {
    const name = heading
      .replace(/\]\([^)]*\)/g, '')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-');
    let anchor = name;
    for (let count = 1; anchors.has(anchor); count += 1) anchor = `${name}-${count}`;
    anchors.add(anchor);
  }
  return anchors;
}

test.run();
