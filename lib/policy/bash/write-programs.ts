import { judgeOutside } from '../judge-path.ts';
import { judgeTree } from '../judge-tree.ts';
import type { Objection } from '../rules.ts';
import { type OptionSpec, scanOptions } from './options.ts';
import { judgeAll, judgeScanned, type ProgramCall, type ProgramRule, plainProgram } from './program.ts';

/** Programs that change files: every file they name must be writable. */
export const writePrograms: Readonly<Record<string, ProgramRule>> = {
  mkdir: plainProgram('-pv -m: --parents --verbose --mode=', 'folder'),
  rmdir: plainProgram('-pv --parents --verbose --ignore-fail-on-non-empty', 'folder'),
  touch: plainProgram('-acm -d: -t: -r:< --date= --no-create --reference=<', 'write'),
  rm: removing('-rRfidvI --recursive --force --verbose --dir --one-file-system'),
  unlink: removing('--help --version'),
  truncate: plainProgram('-co -s: -r:< --size= --no-create --reference=<', 'write'),
  tee: plainProgram('-ai --append --ignore-interrupts', 'write'),
  mv: (call) => judgeTransfer(call, '-finuv --force --no-clobber --update[=] --verbose', 'write'),
  cp: (call) =>
    judgeTransfer(
      call,
      '-aRrfinpuvPdx --archive --recursive --force --no-clobber --preserve[=] --update[=] --verbose --no-dereference',
      'read',
    ),
  chmod: (call) => {
    const scanned = scanOptions(
      '-Rvcf --recursive --verbose --changes --silent --quiet',
      chmodArguments(call),
    );
    const files = scanned.operands.slice(1);
    const isDeep = scanned.given.has('R') || scanned.given.has('recursive');
    return (
      judgeScanned(call, scanned) ??
      (isDeep
        ? judgeTrees(call, files, 'write')
        : judgeAll(
            call.context,
            files.map((path) => ({ path, access: 'write' })),
          ))
    );
  },
};

/** Everything below the operands is changed or removed with them. */
function judgeTrees(
  call: ProgramCall,
  paths: readonly string[],
  access: 'write' | 'remove',
): Objection | null {
  return paths.map((path) => judgeTree(call.context, path, { access })).find((one) => one !== null) ?? null;
}

function removing(spec: OptionSpec): ProgramRule {
  return (call) => {
    const scanned = scanOptions(spec, call.args.slice(call.trusted));
    return judgeScanned(call, scanned) ?? judgeRemoved(call, scanned.operands);
  };
}

/** What isn't there is not removed. */
function judgeRemoved(call: ProgramCall, paths: readonly string[]): Objection | null {
  const { facts, cwd } = call.context;
  const outside = paths.map((path) => judgeOutside(call.context, path, 'remove'));
  const found = outside.find((one) => one !== null) ?? null;
  if (found !== null) return found;
  const isThere = (path: string): boolean =>
    facts.lstat(path.startsWith('/') ? path : `${cwd}/${path}`) !== null;
  const absent = paths.filter((path) => path !== '' && !isThere(path));
  return (
    judgeTrees(
      call,
      paths.filter((path) => !absent.includes(path)),
      'remove',
    ) ??
    judgeAll(
      call.context,
      absent.map((path) => ({ path, access: 'read' })),
    )
  );
}

/** `chmod -x file`: a mode may look like an option. */
function chmodArguments(call: ProgramCall): readonly string[] {
  return call.args.slice(call.trusted).map((arg) => (/^-[rwxXst]+$/.test(arg) ? `a${arg}` : arg));
}

/** Of a link what it leads to counts, too: under its new name the rest of the line could go there unjudged. */
function judgeTransfer(call: ProgramCall, spec: string, source: 'read' | 'write'): Objection | null {
  const scanned = scanOptions(spec, call.args.slice(call.trusted));
  const target = scanned.operands.at(-1) ?? '.';
  const sources = scanned.operands.slice(0, -1);
  const { facts, cwd } = call.context;
  const isFolder = facts.lstat(target.startsWith('/') ? target : `${cwd}/${target}`)?.kind !== 'file';
  const intoFolder =
    target.endsWith('/') ||
    (isFolder && facts.list(target.startsWith('/') ? target : `${cwd}/${target}`) !== null);
  const unsafe = judgeScanned(call, scanned);
  if (unsafe !== null) return unsafe;
  for (const path of sources) {
    const name =
      path
        .split('/')
        .filter((part) => part !== '')
        .at(-1) ?? '';
    const found =
      judgeTree(call.context, path, { access: source }) ??
      judgeTree(call.context, path, { access: 'write', as: intoFolder ? `${target}/${name}` : target });
    if (found !== null) return found;
  }
  return null;
}
