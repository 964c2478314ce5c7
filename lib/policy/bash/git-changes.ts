import { listSome, type Objection } from '../rules.ts';
import { dangerousOption, gitOption, judgePathspecs, noValues, operandsOf } from './git-arguments.ts';
import { scanOptions } from './options.ts';
import { judgeScanned, type ProgramCall, type ProgramRule } from './program.ts';

/** Subcommands that change more than a commit would: they are run only where the lead names them. */
export const changingRules: Readonly<Record<string, ProgramRule>> = {
  config: judgeConfig,
  checkout: judgeCheckout,
  clean: judgeClean,
  apply: onlyLooking('apply', '--check', '--stat', '--numstat', '--summary'),
  am: onlyLooking('am', '--abort', '--quit', '--skip'),
  'format-patch': onlyLooking('format-patch', '--stdout'),
  bisect: firstWord('start', 'good', 'bad', 'new', 'old', 'skip', 'reset', 'log', 'terms', 'next'),
  submodule: firstWord('status', 'summary'),
  notes: firstWord('list', 'show'),
  fetch: transport(/^-(?!-)[A-Za-z]*u|^--update-h/),
  pull: transport(/^-(?!-)[A-Za-z]*[usSXe]|^--update-h/),
  push: transport(),
  'ls-remote': transport(),
  archive: lettered(/^-(?!-)[A-Za-z]*o|^--rem/),
  rebase: lettered(/^-(?!-)[A-Za-z]*[xisXS]/),
  merge: lettered(/^-(?!-)[A-Za-z]*[sXSeF]/),
  'cherry-pick': lettered(/^-(?!-)[A-Za-z]*[XSe]/),
  revert: lettered(/^-(?!-)[A-Za-z]*[XSe]/),
  reset: lettered(/^-(?!-)[A-Za-z]*p/),
  ...Object.fromEntries(
    [
      ...[
        'filter-branch',
        'difftool',
        'mergetool',
        'instaweb',
        'web--browse',
        'send-email',
        'daemon',
        'hook',
      ],
      ...['for-each-repo', 'maintenance', 'remote-ext', 'remote-fd', 'upload-pack', 'receive-pack', 'shell'],
      ...[
        'upload-archive',
        'http-backend',
        'cvsserver',
        'credential',
        'fast-import',
        'gui',
        'citool',
        'help',
      ],
    ].map((name): [string, ProgramRule] => [
      name,
      () => gitOption(`git ${name}`, 'Do without it: it runs other programs.'),
    ]),
  ),
};

/** A subcommand the lead named and the policy has no rule for: only what is plainly dangerous is refused. */
export function judgeOther(call: ProgramCall): Objection | null {
  const bad = call.args.find(
    (arg) => dangerousOption(arg) || /^-[xcO]|^-(?!-)[A-Za-z]*[xOSi]|^-[CF]./.test(arg),
  );
  if (bad !== undefined) return gitOption(`${call.name} ${bad}`, 'Leave it out.');
  return judgePathspecs(call, call.args, { access: 'read' });
}

function lettered(refused: RegExp): ProgramRule {
  return (call) => {
    const bad = call.args.find((arg) => refused.test(arg));
    return bad === undefined ? judgeOther(call) : gitOption(`${call.name} ${bad}`, 'Leave it out.');
  };
}

function firstWord(...words: readonly string[]): ProgramRule {
  return (call) => {
    const [first] = call.args;
    if (first !== undefined && words.includes(first))
      return judgeOther({ ...call, args: call.args.slice(1) });
    return gitOption(`${call.name} ${first ?? ''}`, `Allowed are: ${listSome(words)}.`);
  };
}

function onlyLooking(name: string, ...options: readonly string[]): ProgramRule {
  return (call) =>
    call.args.some((arg) => options.includes(arg)) && !call.args.includes('--apply')
      ? judgeOther(call)
      : gitOption(
          `git ${name}`,
          `It writes files that were not judged; use the Edit tool. Allowed with: ${listSome(options)}.`,
        );
}

/** git runs what its configuration names, so it may only be read. */
function judgeConfig(call: ProgramCall): Objection | null {
  const scanned = scanOptions(
    '-lz --list --get --get-all --get-regexp --null --local --worktree --show-origin --show-scope --name-only --includes --type= --bool --int --path --default=',
    call.args,
  );
  const { given, operands } = scanned;
  const reads =
    ['l', 'list', 'get', 'get-all', 'get-regexp'].some((name) => given.has(name)) ||
    ['get', 'list'].includes(operands[0] ?? '') ||
    (operands.length === 1 && /\./.test(operands[0] ?? ''));
  return (
    judgeScanned(call, scanned, 'git-option') ??
    (reads ? null : gitOption('git config', 'It may only be read: git config --get NAME.'))
  );
}

/** Files after `--`, and whatever is there under the name of a revision, are overwritten. */
function judgeCheckout(call: ProgramCall): Objection | null {
  const bad = call.args.find(
    (arg) => dangerousOption(arg) || /^-(?!-)[A-Za-z]*[pbBcO]|^--(?:no-)?over/.test(arg),
  );
  if (bad !== undefined) return gitOption(`${call.name} ${bad}`, 'Leave it out.');
  const end = call.args.indexOf('--');
  const operands = operandsOf(end < 0 ? call.args : call.args.slice(0, end), noValues).map(
    ({ text }) => text,
  );
  const { facts, cwd } = call.context;
  const files = operands.filter(
    (text, at) => (at > 0 && end < 0) || /[*?[:]/.test(text) || facts.lstat(`${cwd}/${text}`) !== null,
  );
  const named = end < 0 ? files : call.args.slice(end + 1);
  return (
    judgePathspecs(call, operands, { access: 'read' }) ??
    judgePathspecs(call, ['--', ...named], { access: 'write' })
  );
}

function judgeClean(call: ProgramCall): Objection | null {
  const scanned = scanOptions('-dfnq --force --dry-run --quiet', call.args);
  const isTry = scanned.given.has('n') || scanned.given.has('dry-run');
  const unsafe = judgeScanned(call, scanned, 'git-option');
  if (unsafe !== null || isTry) return unsafe;
  if (scanned.operands.length === 0)
    return gitOption('git clean of everything', 'Name the folders to clean: git clean -fd FOLDER.');
  return judgePathspecs(call, ['--', ...scanned.operands], { access: 'write' });
}

/** An address may name a helper program to run: `ext::sh -c …`. */
function transport(refused = /^(?!)/): ProgramRule {
  return (call) => {
    const bad = call.args.find((arg) => arg.includes('::') || refused.test(arg));
    return bad === undefined
      ? judgeOther(call)
      : gitOption(`${call.name} ${bad}`, 'Name a remote: git remote -v.');
  };
}
