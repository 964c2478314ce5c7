import * as assert from 'uvu/assert';
import { parseArgv } from '../../lib/cli/parse-argv.ts';
import type { FlameRun } from './flame.ts';

export interface Refusal {
  readonly code: number;
  /** Part of the sentence, or a pattern of it. */
  readonly says: string | RegExp;
  /** The command that goes on, or the beginning of it; any if absent. */
  readonly next?: string;
}

/** A refusal is one clear sentence and the next command, without a stack, and every command it names is one. */
export function assertRefused(run: FlameRun, { code, says, next }: Refusal): void {
  const all = run.stderr;
  assert.is(run.code, code, all);
  if (typeof says === 'string') assert.ok(all.includes(says), all);
  else assert.match(all, says);
  assert.is(/^\s+at .*:\d+|unexpected error|internal error|undefined|\[object/im.test(all), false, all);
  const hints = nextCommands(all);
  assert.ok(hints.length > 0, `no next command: ${all}`);
  assertCommands(all);
  if (next !== undefined)
    assert.ok(
      hints.some((hint) => hint.includes(next)),
      all,
    );
}

/** The commands that are proposed, in order; those of an error with --json too. */
export function nextCommands(stderr: string): readonly string[] {
  return stderr.split('\n').flatMap((line) => {
    if (line.startsWith('next: ')) return [line.slice('next: '.length)];
    return line.startsWith('{"error":') ? JSON.parse(line).error.hints : [];
  });
}

/** A hint that names a command of git flame has to be a command line it accepts. */
export function assertCommands(stderr: string): void {
  for (const hint of nextCommands(stderr)) {
    const line = /git flame (.*)$/.exec(hint)?.[1];
    if (line === undefined) continue;
    const words = [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(([, a, b, c]) => a ?? b ?? c ?? '');
    assert.not.throws(() => parseArgv(words), undefined, hint);
  }
}
