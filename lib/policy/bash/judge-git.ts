import { createObjection, type PolicyObjection } from '../policy-rules.ts';
import {
  gitOptionObjection,
  isDangerousGitOption,
  judgeGitCommitCommand,
  judgePathspecs,
  listFilesCheckoutRestores,
} from './git-arguments.ts';
import { findFirstObjection, type ProgramCall } from './program-call.ts';
import { unknownTextMarks } from './shell-command-types.ts';

interface Subcommand {
  /** The access to the files of its pathspecs; absent: it reads. */
  readonly access?: 'write' | 'remove' | 'stage';
  /** Options that are refused beside those that always are: they run programs, write elsewhere, or show what is hidden. */
  readonly refused?: RegExp;
  /** Long names that do no harm here. */
  readonly allowed?: readonly string[];
  /** Its first word has to be one of these, or there is none. */
  readonly words?: RegExp;
  /** Only with one of these options. */
  readonly only?: RegExp;
  /** It shows what it is given by name: a name that only bash will know could be that of anything. */
  readonly shows?: boolean;
  /** It changes more than a commit would: the lead has to name it. */
  readonly isNamed?: boolean;
}

const never = /^(?!)/;
// A hidden file is binary to the agent's git, and these print it all the same.
const asText = '^-(?![SGLIUOn])[A-Za-z]*a(?![A-Za-z]*=)|^--(?:text|binary)$';
const looking: Subcommand = {
  refused: new RegExp(`^-(?![SGLIn-])[A-Za-z]*O|${asText}`),
  allowed: ['patch', 'patch-with-stat', 'patch-with-raw'],
};
const listing = (words: RegExp): Subcommand => ({ refused: never, words });

const subcommands: Readonly<Record<string, Subcommand>> = {
  ...Object.fromEntries(
    'diff log shortlog rev-list diff-tree diff-index diff-files range-diff'.split(' ').map((name) => [name, looking]),
  ),
  show: { ...looking, shows: true },
  ...Object.fromEntries(
    'status ls-tree merge-base name-rev for-each-ref check-ignore count-objects describe'
      .split(' ')
      .map((name) => [name, {}]),
  ),
  'rev-parse': { allowed: ['git-dir'] },
  'ls-files': { refused: /^-(?!-)[a-z]*X|^--exclude-[fp]/ },
  'cat-file': { shows: true },
  blame: { refused: /^-(?!-)[a-z]*S/, shows: true },
  annotate: { refused: /^-(?!-)[a-z]*S/, shows: true },
  grep: { refused: /^-(?!-)[^e]*[Oaf]|^--text$/, shows: true },
  branch: {
    refused: /^-(?!-)[A-Za-z]*[dDmMcCfut]|^--(?:del|move|copy|force|set-up|unset|track|create)/,
    words: /^$/,
  },
  tag: {
    refused: /^-(?!-)[A-Za-z]*[adfsumFe]|^--(?:del|annotate|sign|force|message|local-user)/,
    words: /^$/,
  },
  remote: listing(/^(?:get-url|show)?$/),
  reflog: { ...looking, words: /^(?:show)?$/ },
  stash: { ...looking, words: /^(?:list|show)$/ },
  worktree: listing(/^list$/),
  config: {
    words: /^(?:get|list|[\w-]+\.[\w.-]+)?$/,
    refused: /^-(?!-)[A-Za-z]*[ef]|^--(?:add|unset|replace|rename|remove|edit|global|system|file|blob)/,
  },
  add: { access: 'stage', refused: /^-(?!-)[A-Za-z]*[fpie]|^--(?:force|renorm)/ },
  commit: {},
  mv: { access: 'write', isNamed: true },
  rm: { access: 'remove', isNamed: true },
  restore: { access: 'write', refused: /^-(?!-)[A-Za-z]*p/, isNamed: true },
  checkout: { refused: /^-(?!-)[A-Za-z]*[pbBcO]|^--(?:no-)?over/, isNamed: true },
  clean: { access: 'write', refused: /^-(?!-)[A-Za-z]*[xXie]/, isNamed: true },
  apply: { only: /^--(?:check|stat|numstat|summary)$/, refused: /^--apply$/, isNamed: true },
  am: { only: /^--(?:abort|quit|skip)$/, isNamed: true },
  'format-patch': { only: /^--stdout$/, refused: /^-(?!-)[A-Za-z]*o|^--output-d/, isNamed: true },
  bisect: { words: /^(?:start|good|bad|new|old|skip|reset|log|terms|next)$/, isNamed: true },
  submodule: { words: /^(?:status|summary)?$/, isNamed: true },
  notes: { words: /^(?:list|show)?$/, isNamed: true },
  fetch: { refused: /::|^-(?!-)[A-Za-z]*u|^--update-h/, shows: true, isNamed: true },
  pull: { refused: /::|^-(?!-)[A-Za-z]*[usSXe]|^--update-h/, shows: true, isNamed: true },
  push: { refused: /::/, shows: true, isNamed: true },
  'ls-remote': { refused: /::/, shows: true, isNamed: true },
  archive: { refused: /^-(?!-)[A-Za-z]*o|^--rem/, shows: true, isNamed: true },
  rebase: { refused: /^-(?!-)[A-Za-z]*[xisXS]/, isNamed: true },
  merge: { refused: /^-(?!-)[A-Za-z]*[sXSeF]/, isNamed: true },
  'cherry-pick': { refused: /^-(?!-)[A-Za-z]*[XSe]/, isNamed: true },
  revert: { refused: /^-(?!-)[A-Za-z]*[XSe]/, isNamed: true },
  reset: { refused: /^-(?!-)[A-Za-z]*p/, isNamed: true },
  switch: { refused: /^-(?!-)[A-Za-z]*[cC]/, isNamed: true },
};

// They run other programs, or write and print what objects hold, by other names than those it is hidden by.
const closed = new Set(
  'filter-branch difftool mergetool instaweb web--browse send-email daemon hook for-each-repo maintenance remote-ext remote-fd upload-pack receive-pack shell upload-archive http-backend cvsserver credential fast-import gui citool help bundle fast-export unpack-file pack-objects unpack-objects checkout-index read-tree update-index merge-file merge-tree merge-one-file mktree hash-object replace rerere show-index verify-pack diff-pairs imap-send p4 svn cvsimport quiltimport request-pull'.split(
    ' ',
  ),
);

/** The arguments of git without the global options that change nothing but its output. */
export function dropGitGlobalOptions(args: readonly string[]): readonly string[] {
  const harmless = ['--no-pager', '-P', '--no-optional-locks', '--literal-pathspecs', '--no-replace-objects'];
  const first = args.findIndex((arg) => !harmless.includes(arg));
  return first < 0 ? [] : args.slice(first);
}

/** Whether the policy has a rule of its own for it, so that an alias or another program isn't taken for git. */
export function isKnownSubcommand(subcommand: string): boolean {
  return Object.hasOwn(subcommands, subcommand);
}

/** Known, and yet only allowed where the lead names it. */
export function needsOwnGitEntry(subcommand: string): boolean {
  return subcommands[subcommand]?.isNamed === true || closed.has(subcommand);
}

/** Judges git by its subcommand. `args` come without harmless global options; any other is refused. */
export function judgeGit(call: ProgramCall): PolicyObjection | null {
  const [subcommand = '', ...args] = call.args;
  if (['--version', 'version'].includes(subcommand)) return null;
  if (subcommand.startsWith('-'))
    return gitOptionObjection(subcommand, 'Run git in the worktree, without options before the subcommand.');
  if (unknownTextMarks.isIn(subcommand)) return gitOptionObjection('git …', 'Write the subcommand as plain text.');
  if (closed.has(subcommand)) return gitOptionObjection(`git ${subcommand}`, 'Find another way.');
  const rule = subcommands[subcommand];
  if (rule === undefined && call.allowedArgumentCount === 0)
    return createObjection(
      'bash-not-allowed',
      `git ${subcommand} is not allowed. Allowed are: ${Object.keys(subcommands).join(', ')}.`,
    );
  const own = { ...call, name: `git ${subcommand}`, args };
  if (subcommand === 'commit') return judgeUnknown(own, {}) ?? judgeGitCommitCommand(own);
  return judgeSubcommand(own, rule ?? { refused: /^-[xcO]|^-(?!-)[A-Za-z]*[xOSi]|^-[CF]./ });
}

function judgeSubcommand(call: ProgramCall, rule: Subcommand): PolicyObjection | null {
  const { name, args } = call;
  const bad = args.find((arg) => isDangerousGitOption(arg, rule.allowed) || rule.refused?.test(arg) === true);
  if (bad !== undefined) return gitOptionObjection(`${name} ${unknownTextMarks.shown(bad)}`, 'Leave it out.');
  if (rule.only !== undefined && !args.some((arg) => rule.only?.test(arg)))
    return gitOptionObjection(name, 'It writes files that were not judged. Use the Edit tool.');
  const first = args.find((arg) => !arg.startsWith('-')) ?? '';
  const isListed =
    /^git (?:branch|tag)$/.test(name) &&
    args.some((arg) => /^(?:-l|--list|--(?:no-)?(?:contains|merged)|--points-at)/.test(arg));
  if (rule.words !== undefined && !isListed && !rule.words.test(first))
    return gitOptionObjection(
      `${name} ${unknownTextMarks.shown(first)}`,
      'Only its forms that list or show are allowed.',
    );
  if (
    name === 'git config' &&
    args.filter((arg) => !arg.startsWith('-')).length > (rule.words?.test('get') && /^(?:get)$/.test(first) ? 2 : 1) &&
    !args.some((arg) => /^--get/.test(arg))
  )
    return gitOptionObjection(name, 'Only reading is allowed: git config --get NAME.');
  const isAll =
    name === 'git clean' &&
    !args.some((arg) => !arg.startsWith('-')) &&
    !args.some((arg) => /^-[a-z]*n|^--dry-run$/.test(arg));
  if (isAll) return gitOptionObjection('git clean of everything', 'Name the folders to clean: git clean -fd FOLDER.');
  return judgeUnknown(call, rule) ?? judgeContents(call) ?? judgeFiles(call, rule);
}

/** Judges arguments that only bash will know: they could be an option, or the name of a hidden file. */
function judgeUnknown({ name, args }: ProgramCall, { shows }: Subcommand): PolicyObjection | null {
  const open = args.find(
    (arg, at) =>
      (shows === true && unknownTextMarks.isOpen(arg)) ||
      (/^[\u0001]/.test(arg) && !isValue(args[at - 1])) ||
      (/:.*[\u0001-\u0004]/.test(arg) && shows === true && !/^-/.test(arg)),
  );
  const isAdded = /^git (?:add|diff|log|ls-files|status|check-ignore|rm|mv)$/.test(name) && args.indexOf('--') >= 0;
  return open === undefined || (isAdded && shows !== true)
    ? null
    : createObjection(
        'bash-dynamic',
        `The arguments of ${name} must be plain text, or come from git or find: ${unknownTextMarks.shown(open)}.`,
      );
}

function isValue(before: string | undefined): boolean {
  return /^(?:-[A-Za-z]*[mnSGLU]|--(?:message|author|grep|since|until|after|before|trailer|format|pretty|max-count))$/.test(
    before ?? '',
  );
}

// Subcommands that show names where they get the id of a folder.
const lists = /^git (?:show|cat-file|ls-tree|rev-list|rev-parse|name-rev)$/;
const emptyTrees =
  /^(?:4b825dc642cb6eb9a060e54bf8d69288fbee4904|6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321)$/;

/** An id alone could be that of what a hidden file or folder holds; git says what it is of. */
function judgeContents({ name, args, context }: ProgramCall): PolicyObjection | null {
  if (/cat-file$/.test(name) && args.some((arg) => /^-[ets]$/.test(arg))) return null;
  const ids = args.flatMap((arg) => arg.replace(/^(?:-s|--source=)/, '').split('..'));
  return findFirstObjection(ids, (text) => {
    const [, id, path] = /^([0-9a-f]{4,64})(?:\^\{\w*\})?(:.*)?$/.exec(text) ?? [];
    if (id === undefined || emptyTrees.test(id)) return null;
    const kind = context.facts.kindOf(id, context.cwd);
    const isOpen = kind === null && context.policy.hidden_paths.length > 0;
    return isOpen || kind === 'blob' || (kind === 'tree' && (path !== undefined || !lists.test(name)))
      ? createObjection(
          'path-hidden',
          `${name} ${id} names content by its id, and that content could be hidden. Name a revision and a file: git show REVISION:FILE.`,
        )
      : null;
  });
}

function judgeFiles(call: ProgramCall, { access }: Subcommand): PolicyObjection | null {
  const { name, args } = call;
  const written = listFilesCheckoutRestores(call);
  if (written !== null)
    return judgePathspecs(call, written.revisions, 'read') ?? judgePathspecs(call, written.files, 'write');
  const isStaged =
    name === 'git restore' &&
    args.some((arg) => /^-(?!-)[A-Za-z]*S|^--staged$/.test(arg)) &&
    !args.some((arg) => /^-(?!-)[A-Za-z]*W|^--worktree$/.test(arg));
  return judgePathspecs(call, args, isStaged ? 'stage' : (access ?? 'read'));
}
