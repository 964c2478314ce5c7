import { setTimeout as wait } from 'node:timers/promises';

const longestMs = 240_000;

/** Resolves once something is so; asked again and again. Throws where it never is. */
export async function until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  const end = Date.now() + longestMs;
  while (!(await isSo())) {
    if (Date.now() > end) throw new Error(`never: ${what}`);
    await wait(200);
  }
}
