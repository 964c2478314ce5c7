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
export function programFamily(name: string): string {
  const family = families.find(([, others]) => others.test(name));
  return family?.[0] ?? gnuNames.get(name) ?? name;
}
