import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeTempDir } from './repo.ts';

/** What makes a program's clock on the wall another one; that which only counts stays as it is. */
export function shiftedClock(minutes: number): Readonly<Record<string, string>> {
  const file = join(makeTempDir('flame-clock'), 'shift.cjs');
  const text = `const ahead = ${minutes * 60_000}; const Real = Date; const now = Real.now.bind(Real);
globalThis.Date = class extends Real { constructor(...words) { super(...(words.length === 0 ? [now() + ahead] : words)); } static now() { return now() + ahead; } };\n`;
  writeFileSync(file, text);
  return { NODE_OPTIONS: `--require ${file}` };
}
