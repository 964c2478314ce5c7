/** Commands that only look: any agent that may use a shell may run them, under any configuration. */
export const readCommands: readonly string[] = [
  ...'status diff log show shortlog blame annotate grep ls-files ls-tree rev-parse rev-list branch describe tag'
    .split(' ')
    .map((name) => `git ${name}`),
  ...'merge-base name-rev for-each-ref cat-file check-ignore count-objects diff-tree diff-index diff-files'
    .split(' ')
    .map((name) => `git ${name}`),
  ...'range-diff remote reflog config'.split(' ').map((name) => `git ${name}`),
  'git stash list',
  'git stash show',
  'git worktree list',
  'npm ls',
  'go list',
  'go env',
  'go doc',
  'cargo tree',
  ...'ls cat tac zcat zgrep head tail wc nl grep egrep fgrep rg find tree du stat file less more strings'.split(
    ' ',
  ),
  ...'sort uniq cut paste tr fold rev column comm cmp diff od xxd hexdump jq sed awk bc expr'.split(' '),
  ...'md5sum sha1sum sha256sum sha512sum cksum base64 basename dirname realpath readlink pwd'.split(' '),
  ...'echo printf test [ true false : sleep seq date which type command yes env xargs timeout time nice'.split(
    ' ',
  ),
  ...'nproc uname whoami df free uptime mktemp getconf locale tput clear'.split(' '),
];

/** Commands that a worker also runs within its scope: the paths they name are judged one by one. */
export const writeCommands: readonly string[] = [
  'git add',
  'git commit',
  'mkdir',
  'rmdir',
  'touch',
  'cp',
  'mv',
  'tee',
  'tar',
  'gzip',
  'gunzip',
  'zip',
  'unzip',
];
