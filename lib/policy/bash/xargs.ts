import { type Objection, objection } from '../rules.ts';
import { splitLine, tellingNames } from './find.ts';
import type { ProgramCall } from './program.ts';

/** Judges what xargs runs, for the names that come through the pipe and that the rules treat differently. */
export function judgeXargs(call: ProgramCall): Objection | null {
  const split = splitOptions(call.args);
  if (split === null)
    return refused('Of its options -0, -r, -t, -n, -L, -P, -I {} and -d are known to be safe.');
  const [name = 'echo', ...rest] = split.run;
  const run = [name, ...rest];
  const { lines = null } = call.context;
  if (name === 'echo' && split.mark === null) return null;
  if (lines === null || (call.context.makesFiles === true && !split.isWhole && split.mark === null))
    return refused(
      'What comes through the pipe is no plain list of files: take one from git ls-files, find, ls or grep -l.',
    );
  const names = split.isWhole
    ? lines
    : lines.flatMap((line) => splitLine(call.context, line.replace(/["'\\]/g, ''), run));
  const telling = tellingNames(call.context, run, [...new Set(names)]);
  const files = telling.length > 0 ? telling : ['./any-file'];
  for (const words of commands(run, { files, mark: split.mark })) {
    const found = call.judgeInner(words);
    if (found !== null) return found;
  }
  return null;
}

function commands(
  run: readonly string[],
  { files, mark }: { readonly files: readonly string[]; readonly mark: string | null },
): readonly (readonly string[])[] {
  if (mark !== null)
    return files.map((file) => [run[0] ?? '', ...run.slice(1).map((word) => word.replaceAll(mark, file))]);
  return files.flatMap((file) => [[...run, file], ...files.map((other) => [...run, file, other])]);
}

interface Split {
  readonly run: readonly string[];
  /** What stands for the name in the command; null: it comes last. */
  readonly mark: string | null;
  /** A line is one name, whatever it holds. */
  readonly isWhole: boolean;
}

function splitOptions(args: readonly string[]): Split | null {
  const rest = [...args].reverse();
  let mark: string | null = null;
  let isWhole = false;
  for (let arg = rest.pop(); arg !== undefined; arg = rest.pop()) {
    const [, letter = '', value = ''] = /^-([nLPId])(.*)$/s.exec(arg) ?? [];
    if (/^-[0rt]+$|^--(?:null|no-run-if-empty|verbose)$/.test(arg)) isWhole ||= /0|null/.test(arg);
    else if (letter !== '') {
      const given = value === '' ? rest.pop() : value;
      if (given === undefined || (/[nLP]/.test(letter) && !/^\d+$/.test(given))) return null;
      if (letter === 'I') mark = given;
      if (letter === 'd' && given !== '\\n') return null;
      isWhole ||= letter === 'd';
    } else if (arg.startsWith('-')) return null;
    else return { run: [arg, ...rest.reverse()], mark, isWhole };
  }
  return { run: [], mark, isWhole };
}

function refused(instead: string): Objection {
  return objection('bash-wrapper', `xargs can't be judged here. ${instead}`);
}
