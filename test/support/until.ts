import { setTimeout as wait } from 'node:timers/promises';

/**
 * Resolves once a condition holds. The one place where tests poll: for what emits no event, such as a process, a file or
 * a ref of another program. Throws where it never holds; `what` names it, `details` what is known by then.
 */
export async function until(
  what: string,
  isSo: () => boolean | Promise<boolean>,
  { limitMs = 240_000, details = () => '' }: { readonly limitMs?: number; readonly details?: () => string } = {},
): Promise<void> {
  const end = Date.now() + limitMs;
  for (let pause = 5; !(await isSo()); pause = Math.min(2 * pause, 200)) {
    if (Date.now() > end) throw new Error(`never: ${what}\n${details()}`);
    await wait(pause);
  }
}
