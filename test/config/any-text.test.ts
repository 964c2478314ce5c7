import { readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseConfig } from '../../lib/config/load-config.ts';
import { migrateConfigText } from '../../lib/config/migrate-config.ts';
import { readPlanFile } from '../../lib/config/plan-file.ts';
import { readDecisionsFile } from '../../lib/config/read-decisions-file.ts';
import { FlameError } from '../../lib/domain/flame-error.ts';

const plan =
  'tasks:\n  - id: a\n    title: "x: y"\n    description: |\n      two\n      lines\n    file_locks: [a, b/**]\n';
const decisions = 'plan: [approve, {replan: x}]\nchangesets:\n  - {a: approve, b: {reject: c}}\nbudget: [{raise: 5}]\n';
const config = readFileSync('.blueflame.example.yml', 'utf8')
  .split('\n')
  .filter((line) => !/^\s*#/.test(line))
  .join('\n');
const pieces = [
  ...[
    '{',
    '}',
    '[',
    ']',
    ':',
    ': ',
    '- ',
    '\n',
    '\r\n',
    '\t',
    '  ',
    '#',
    ' #',
    '*a',
    '&a ',
    '!x ',
    '!!binary ',
    '|',
    '>',
  ],
  ...[
    '"',
    "'",
    '%',
    '---\n',
    '...\n',
    '\0',
    '\u001b',
    '\u2028',
    '\ufeff',
    '🎉',
    '日',
    '\ud800',
    '<<: ',
    '? ',
    '@',
    '`',
    '~',
  ],
  ...['null', '0', '-1', '1e999', '.nan', 'true', '__proto__: ', 'constructor: ', ',', '\\', 'x'],
];

test('whatever a file holds, it is read or refused with places that exist', () => {
  const random = seeded(20260206);
  let refused = 0;
  for (let round = 0; round < 400; round++) {
    const readers = [
      [config, (text: string) => parseConfig(text, 'f')],
      [config, (text: string) => migrateConfigText(text, 'f')],
      [plan, (text: string) => readPlanFile(text, 'f')],
      [decisions, (text: string) => readDecisionsFile(text, 'f')],
    ] as const;
    const [base, read] = readers[round % readers.length]!;
    const text = mutate(base, random);
    try {
      read(text);
    } catch (error) {
      if (!(error instanceof FlameError)) {
        throw new Error(`${JSON.stringify(text.slice(0, 3_000))}: ${String(error)}`);
      }
      refused++;
      checkPlaces(error, text);
    }
  }
  assert.ok(refused > 200, `only ${refused} refused`);
});

function checkPlaces(error: FlameError, text: string): void {
  const lines = text.split('\n').length;
  for (const detail of error.lines) {
    assert.not(/[\u0000-\u001f\u007f-\u009f\u2028\ufeff\u202e]/.test(detail), JSON.stringify(detail));
    const place = /^f:(\d+):(\d+) {2}\S/.exec(detail);
    assert.ok(place !== null || detail.startsWith('  ') || detail.startsWith('… and '), detail);
    assert.ok(place === null || Number(place[1]) <= lines, `${detail} of ${lines} lines`);
  }
}

function mutate(base: string, random: () => number): string {
  let text = base;
  for (let count = 1 + Math.floor(random() * 4); count > 0; count--) {
    const at = Math.floor(random() * text.length);
    const cut = random() < 0.5 ? Math.floor(random() * 8) : 0;
    text = text.slice(0, at) + pieces[Math.floor(random() * pieces.length)] + text.slice(at + cut);
  }
  return text;
}

/** A small generator whose numbers are the same in every run (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

test.run();
