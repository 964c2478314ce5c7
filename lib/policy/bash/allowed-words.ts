import type { AgentPolicy } from '../../domain/agent-policy.ts';
import { createObjection, joinFirstItems, type PolicyObjection } from '../policy-rules.ts';
import { isBuiltin, isShellSyntax } from './builtins.ts';
import { needsOwnGitEntry } from './judge-git.ts';

/** Whether the lead named the program alone, without a word after it. */
export function isProgramAllowedAlone(policy: AgentPolicy, name: string): boolean {
  return policy.allowed_commands.some((entry) => splitAllowedEntry(entry).join(' ') === name);
}

/** Whether a name is that of a program here, which nothing else may have. */
export function isProgramNameTaken(policy: AgentPolicy, name: string): boolean {
  const entries = [...policy.allowed_commands, ...(policy.base_commands ?? [])];
  return (
    isBuiltin(name) ||
    explainRefusedProgram(name) !== null ||
    entries.some((entry) => splitAllowedEntry(entry)[0] === name)
  );
}

/** The objection to a text that matches a blocked pattern; null: none. `shown`: what its message calls the text. */
export function judgeBlockedPattern(policy: AgentPolicy, text: string, shown: string): PolicyObjection | null {
  const pattern = policy.blocked_patterns.find((one) => new RegExp(one, 'u').test(text));
  if (pattern === undefined) return null;
  const details = `${shown} matches the blocked pattern ${pattern}. Find another way, or leave it to a person.`;
  return createObjection('bash-pattern', details);
}

/** How many words after the program name the best matching entry holds; null: no entry matches. */
export function countAllowedWords(policy: AgentPolicy, words: readonly string[]): number | null {
  const [name = '', subcommand = ''] = words;
  if (isShellSyntax(name)) return 0;
  const lengths = policy.allowed_commands
    .map(splitAllowedEntry)
    .filter((entry) => entry.length > 0 && entry.every((word, at) => word === words[at]))
    .map((entry) => entry.length);
  const longest = Math.max(0, ...lengths);
  if (longest > 1 || (longest === 1 && !(name === 'git' && needsOwnGitEntry(subcommand)))) return longest - 1;
  const plain = [findProgramFamily(name), ...words.slice(1)];
  const isBase = policy.base_commands?.some((entry) => entry.split(' ').every((word, at) => word === plain[at]));
  return isBase === true ? 0 : null;
}

/** An entry may end in a remark in parentheses: `git branch (listing only)`. */
export function splitAllowedEntry(entry: string): readonly string[] {
  return entry
    .replace(/\s+\([^)]*\)\s*$/, '')
    .split(/\s+/)
    .filter((word) => word !== '');
}

/** The refusal of a command that no entry names, with what is allowed instead. */
export function notAllowedObjection(policy: AgentPolicy, command: string): PolicyObjection {
  const list = joinFirstItems(policy.allowed_commands, 30);
  const why = policy.role === 'merger' ? ' The checks run after a merger commits, on its result.' : '';
  const base =
    policy.base_commands?.length === 0 ? '' : ' and programs that only read (ls, cat, rg, sed -n, git log …)';
  return createObjection(
    'bash-not-allowed',
    `${command} is not an allowed command. Allowed are: ${list}${base}.${why}`,
  );
}

// Every name a program goes by here: rules are looked up by the first name of the family.
const families: readonly (readonly [name: string, others: RegExp])[] = [
  ['awk', /^(?:gawk|mawk|nawk|original-awk|goawk|frawk)(?:-[\d.]+)?$/],
  ['sed', /^(?:gsed|ssed)$/],
  ['make', /^(?:gmake|bmake|remake|gnumake)$/],
  ['tar', /^(?:gtar|bsdtar)$/],
  ['node', /^(?:nodejs|iojs)$|^node-?\d[\d.]*$/],
  ['python', /^(?:python|pypy|micropython|jython|graalpy)-?[\d.]*t?$/],
  ['ruby', /^(?:ruby|jruby|truffleruby)-?[\d.]*$/],
  ['perl', /^perl-?[\d.]*$/],
  ['php', /^php-?[\d.]*$|^php-cgi$/],
  ['lua', /^(?:lua|luajit|luau|texlua)-?[\d.]*$/],
  ['tclsh', /^(?:tclsh|wish)-?[\d.]*$/],
  ['Rscript', /^(?:R|littler|r)$/],
  ['sh', /^(?:bash|rbash|dash|ash|zsh|ksh|ksh93|mksh|lksh|oksh|loksh|pdksh|yash|posh|csh|tcsh)-?[\d.]*$/],
  ['fish', /^(?:elvish|nu|nushell|xonsh|rc|es|ion|osh|ysh|pwsh|powershell|murex)$/],
  ['pip', /^pip[\d.]+$/],
  ['gcc', /^(?:[\w.]+-)*(?:gcc|g\+\+|cc|c\+\+|clang|clang\+\+|cpp|gfortran|tcc|icc)(?:-[\d.]+)?$/],
  [
    'vim',
    /^(?:vi|nvim|gvim|view|ex|rvim|vimdiff|vim\.\w+|nano|pico|emacs|emacsclient|joe|mcedit|helix|hx|micro|ed|red)$/,
  ],
  ['busybox', /^(?:toybox|busybox\.\w+)$/],
];

// Programs whose names may have a leading g, for GNU.
const coreutils =
  'awk basename cat chmod comm cp cut date dd df diff dirname du echo egrep env expand expr fgrep find fold grep head id install join ln ls md5sum mkdir mktemp mv nice nl nohup nproc od paste printf pwd readlink realpath rm rmdir sed seq sha1sum sha256sum shred shuf sleep sort split stat stdbuf tac tail tee test timeout touch tr truncate tsort uname uniq wc which xargs yes zcat'.split(
    ' ',
  );
const gnuNames: ReadonlyMap<string, string> = new Map(coreutils.map((name) => [`g${name}`, name]));

/** The name under which the rules know a program: `gawk` is awk, `python3.11` python, `ghead` head. */
export function findProgramFamily(name: string): string {
  const family = families.find(([, others]) => others.test(name));
  return family?.[0] ?? gnuNames.get(name) ?? name;
}

const kinds: readonly (readonly [why: string, instead: string, names: string])[] = [
  [
    'runs another program that the rules would not see',
    'Run that program itself.',
    'sudo doas su runuser pkexec gosu chroot unshare nsenter bwrap firejail fakeroot proot setpriv capsh systemd-run nohup setsid daemonize start-stop-daemon disown at batch crontab parallel entr watch watchexec nodemon chokidar script expect unbuffer screen tmux byobu dtach abduco reptyr strace ltrace gdb lldb rr perf valgrind bpftrace dtruss flock lckdo run-parts run-one busybox xdg-open open osascript dbus-run-session dbus-send gdbus systemctl service initctl launchctl m4 dc ld.so ldd catchsegv xvfb-run direnv mise asdf nix nix-shell guix vagrant',
  ],
  [
    'contacts a daemon or another machine',
    'The cell has no network. Work with what is in the worktree.',
    'docker podman nerdctl buildah kubectl helm oc minikube kind terraform tofu pulumi ansible ansible-playbook ssh scp sftp ssh-keygen ssh-agent ssh-add ftp lftp telnet nc ncat netcat socat curl wget aria2c http https httpie rclone mosh openssl gpg gpg2 dig nslookup ping psql mysql mysqldump mariadb mongo mongosh redis-cli aws gcloud az gh glab heroku vercel netlify flyctl fly doctl ngrok',
  ],
  [
    'waits for keyboard input and can start programs',
    'Use the Edit tool.',
    'vim man info mc ranger fzf ghci iex irb pry jshell ipython ptpython bpython utop gore evcxr sqlplus isql',
  ],
  [
    'downloads and runs packages that are not part of the project',
    'Use the packages that the project has installed.',
    'uvx pipx pip conda mamba gem easy_install corepack npx-cli bunx-cli pnpx-cli brew apt apt-get dpkg yum dnf apk pacman snap flatpak',
  ],
  [
    'changes devices or whole disks',
    'Find another way.',
    'dd mkfs mount umount losetup mknod mkfifo fdisk parted shred wipe',
  ],
];
const refused: ReadonlyMap<string, readonly [string, string]> = new Map(
  kinds.flatMap(([why, instead, names]) => names.split(' ').map((name) => [name, [why, instead] as const] as const)),
);

/** The reason why no list of the lead's lets a program run, with any options; null: one may. */
export function explainRefusedProgram(name: string): string | null {
  const found = refused.get(name);
  return found === undefined ? null : `${name} ${found[0]}. ${found[1]}`;
}
