import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { estimateMostTokens } from '../../../lib/cell/gateway/token-bound.ts';
import { makeRandom } from '../../support/random.ts';

/** Bytes of a text for each token it may come to. */
const bytesPerToken = (text: string): number => Buffer.byteLength(text) / estimateMostTokens(text);

test('BUD-1 words and code count about a token for two or three bytes', () => {
  const prose = 'The quick brown fox jumps over the lazy dog, and nobody asks the fox why it does so. ';
  const code = 'export function sum(values: readonly number[]): number {\n  return values.length;\n}\n';
  for (const text of [prose, code].map((one) => one.repeat(50)))
    assert.ok(bytesPerToken(text) > 1.7 && bytesPerToken(text) < 3, `${bytesPerToken(text)}`);
});

test('BUD-1 base64, keys, numbers and other scripts count what tokenizers make of them at least', () => {
  const random = makeRandom(7);
  const bytes = Buffer.from(Array.from({ length: 6_000 }, () => random.int(0, 255)));
  const characters = (from: number, count: number): string =>
    Array.from({ length: 2_000 }, () => String.fromCodePoint(from + random.int(0, count - 1))).join('');
  // Bytes for a token, as measured with published tokenizers on such texts.
  const cases: readonly (readonly [string, string, number])[] = [
    ['base64', bytes.toString('base64'), 1.42],
    ['base64 in lines', bytes.toString('base64').replace(/.{76}/g, '$&\n'), 1.41],
    ['hexadecimal', bytes.toString('hex'), 1.72],
    ['lower case', characters(97, 26), 1.9],
    ['any of ASCII', characters(33, 94), 1.27],
    ['numbers', JSON.stringify([...bytes]), 1.78],
    ['Chinese', '我们今天要讨论的问题是如何保证数据的一致性。'.repeat(50), 3],
    ['emoji', characters(0x1f300, 700), 1.5],
    ['rare signs', characters(0x20000, 40_000), 1.01],
  ];
  for (const [name, text, most] of cases) assert.ok(bytesPerToken(text) <= most, `${name}: ${bytesPerToken(text)}`);
});

test.run();
