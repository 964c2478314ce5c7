// Takes a lock, says so, and holds it until its input ends; with a second argument it notes when it had it.
import { appendFileSync } from 'node:fs';
import { takeLock } from '../../lib/util/owned-lock.ts';

const [path = '', notes] = process.argv.slice(2);
const retries = { retries: 1_000, factor: 1, minTimeout: 1, maxTimeout: 5 };
const release = await takeLock(path, { staleMs: 10_000, ...(notes === undefined ? {} : { retries }) });
if (notes === undefined) {
  process.stdout.write('held\n');
  process.stdin.on('end', () => void release()).resume();
} else {
  appendFileSync(notes, `+${process.pid}\n`);
  await new Promise((resolve) => setImmediate(resolve));
  appendFileSync(notes, `-${process.pid}\n`);
  await release();
}
