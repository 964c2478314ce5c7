import type { Access } from '../judge-path.ts';
import { type Objection, objection } from '../rules.ts';
import { scanOptions } from './options.ts';
import { judgeAll, judgeScanned, type ProgramCall } from './program.ts';

/** Judges sed by its script: whatever only looks at lines or changes them, nothing that runs commands or opens files. */
export function judgeSed(call: ProgramCall): Objection | null {
  // Where BSD sed takes '' for the suffix of -i, GNU sed takes it for an empty script.
  const args = call.args.slice(call.trusted).filter((arg, at, all) => arg !== '' || all[at - 1] !== '-i');
  const scanned = scanOptions(
    '-nErsuz -e: -i[=] --quiet --silent --regexp-extended --expression= --in-place[=]',
    args,
  );
  const scripts = scriptsOf(args);
  const read: string[] = [];
  const files = scripts.length > 0 ? scanned.operands : scanned.operands.slice(1);
  const bad = unsafePart(scripts.length > 0 ? scripts : scanned.operands.slice(0, 1), read);
  if (bad !== null)
    return objection(
      'bash-option',
      `The sed script could write files or run commands from ${JSON.stringify(bad)} on. Print lines or substitute plainly.`,
    );
  const suffixes = [...(scanned.given.get('i') ?? []), ...(scanned.given.get('in-place') ?? [])];
  if (suffixes.some((one) => /[*/]/.test(one)))
    return objection('bash-option', 'sed -i could put its copy elsewhere. Leave its suffix out.');
  const access: Access = scanned.given.has('i') || scanned.given.has('in-place') ? 'write' : 'read';
  const named = files.filter((path) => path !== '-');
  const written = named.flatMap((path) => [path, ...suffixes.map((suffix) => path + suffix)]);
  return (
    judgeScanned(call, scanned) ??
    judgeAll(call.context, [
      ...read.map((path) => ({ path, access: 'read' as const })),
      ...written.map((path) => ({ path, access })),
    ])
  );
}

/** The values of -e and --expression in their order: sed joins them line by line. */
function scriptsOf(args: readonly string[]): readonly string[] {
  return args.slice(0, args.includes('--') ? args.indexOf('--') : args.length).flatMap((arg, at) => {
    const attached = /^(?:-[nErsuz]*e|--expression=)(.+)$/s.exec(arg)?.[1];
    if (attached !== undefined) return [attached];
    return /^(?:-[nErsuz]*e|--expression)$/.test(arg) ? [args[at + 1] ?? ''] : [];
  });
}

const separators = /[ \t\n;]*/y;
const comment = /#[^\n]*/y;
const address = /(?:\d+(?:~\d+)?|\$|\/(?:[^/\\\n]|\\.)*\/[IM]*)/y;
const rangeEnd = /[ \t]*,[ \t]*(?:[+~]?\d+|\$|\/(?:[^/\\\n]|\\.)*\/[IM]*)/y;
const negation = /[ \t]*!*[ \t]*/y;
const plain = /[=dDgGhHnNpPxzF]|[lLqQ][ \t]*\d*/y;
const jump = /:[A-Za-z0-9_]+|[btT][ \t]*[A-Za-z0-9_]*/y;
const replacement =
  /([sy])([^\\\n\w\s[\](){};])(?:(?!\2)[^\\\n]|\\[^\n])*\2(?:(?!\2)[^\\\n]|\\[\s\S])*\2[gpiImM0-9]*/y;
// A line of text; a backslash takes the next character with it, even the end of the line.
const text =
  /[aic][ \t]*\\[ \t]*\n(?:[^\\\n]|\\[\s\S])*|[aic][ \t]*(?:\\[ \t]*\n?)?(?:[^\s\\}]|\\[^\n])(?:[^\\\n]|\\[\s\S])*/y;
// The name extends to the end of the line.
const insertion = /[rR][ \t]*([^\s;}][^\n]*)/y;
const commandEnd = /[ \t]*(?=[;\n}#]|$)/y;

/** Where the scripts of a sed stop being understood and harmless; null: all of it is. The files it reads are added. */
function unsafePart(scripts: readonly string[], read: string[]): string | null {
  // Every sed reads what follows such a backslash differently.
  const cut = scripts.find((script) => /\\\s*$/.test(script));
  if (cut !== undefined) return cut;
  const script = scripts.join('\n');
  let at = 0;
  let depth = 0;
  let taken: readonly string[] = [];
  const take = (pattern: RegExp): boolean => {
    pattern.lastIndex = at;
    const found = pattern.exec(script);
    at += found?.[0].length ?? 0;
    taken = found ?? [];
    return found !== null;
  };
  for (take(separators); at < script.length; take(separators)) {
    const start = at;
    if (take(comment)) continue;
    if (take(address)) take(rangeEnd);
    take(negation);
    if (script[at] === '{') {
      depth += 1;
      at += 1;
      continue;
    }
    if (script[at] === '}') {
      depth -= 1;
      at += 1;
    } else if (take(text)) {
      if (at < script.length && script[at] !== '\n') return script.slice(start);
      continue;
    } else if (take(insertion)) {
      read.push(taken[1] ?? '/');
      continue;
    } else if (!take(plain) && !take(jump) && !take(replacement)) return script.slice(start, start + 60);
    if (depth < 0 || !take(commandEnd)) return script.slice(start, start + 60);
  }
  return depth === 0 ? null : script;
}
