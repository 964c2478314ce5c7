import { isAbsolute } from 'node:path';
import { FlameError } from '../../domain/flame-error.ts';
import type { Io } from '../../domain/shown/io.ts';
import { visibleLine } from '../../ui/text/visible-text.ts';
import { programPath } from '../../util/program-path.ts';

/** What a page of comments may come to; more is an error and nothing is taken. */
const maxBytes = 50_000_000;
const timeoutMs = 120_000;

/**
 * Runs the person's gh, with their sign-in, and resolves to what it printed. Throws FlameErrors `no-gh`,
 * `gh-logged-out`, `gh-rate-limited` and `gh-failed`, with its own words: what it printed before it failed counts for
 * nothing.
 */
export async function runGh(
  { cwd, io, retry }: { readonly cwd: string; readonly io: Io; readonly retry: string },
  args: readonly string[],
): Promise<string> {
  const gh = programPath('gh', io.env.PATH);
  if (!isAbsolute(gh)) throw noGh(retry);
  const { execa } = await import('execa');
  const ended = await execa(gh, args, {
    ...{ cwd, extendEnv: false, stdin: 'ignore', reject: false, timeout: timeoutMs, maxBuffer: maxBytes },
    env: {
      ...io.env,
      GH_PROMPT_DISABLED: '1',
      GH_NO_UPDATE_NOTIFIER: '1',
      NO_COLOR: '1',
      CLICOLOR_FORCE: '0',
    },
  });
  if (ended.exitCode === 0 && !ended.isMaxBuffer) return ended.stdout;
  throw explain(ended.exitCode ?? null, ended.stderr || ended.originalMessage || '', retry);
}

function noGh(retry: string): FlameError {
  return new FlameError({
    kind: 'environment',
    code: 'no-gh',
    message: 'gh, which asks GitHub, is not in PATH.',
    hints: ['install gh (cli.github.com), then: gh auth login', retry],
  });
}

/** gh ends with 4 where it is not signed in; the rest is in its words. */
function explain(exitCode: number | null, said: string, retry: string): FlameError {
  const details = said
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(-5)
    .map(visibleLine);
  if (/rate limit|HTTP 429/i.test(said))
    return new FlameError({
      ...{ kind: 'refused', code: 'gh-rate-limited', details },
      message: 'GitHub takes no more requests for now, and nothing was taken over.',
      hints: ['gh api rate_limit says until when', retry],
    });
  if (exitCode === 4 || /HTTP 401|gh auth login/.test(said))
    return new FlameError({
      ...{ kind: 'environment', code: 'gh-logged-out', details },
      message: 'gh is not signed in, so nothing could be asked.',
      hints: ['gh auth login', retry],
    });
  return new FlameError({
    ...{ kind: 'refused', code: 'gh-failed', details },
    message: `gh could not do it (${exitCode === null ? 'it was ended' : `exit code ${exitCode}`}), and nothing was taken over.`,
    hints: [retry],
  });
}
