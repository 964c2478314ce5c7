/** Where ssh connects to for a remote, as words of a command line. */
export type SshTarget = readonly string[];

const name = '(?:[A-Za-z0-9_.][\\w.+-]*@)?[A-Za-z0-9_.][\\w.-]*';
const asUrl = new RegExp(`^(?:ssh|git\\+ssh|ssh\\+git)://(${name})(?::(\\d+))?/`);
const asPath = new RegExp(`^(${name}):(?![:/])`);
const asPathFromRoot = new RegExp(`^(${name}):/(?!/)`);

/** Where ssh connects to for such a URL; null where it isn't reached by ssh, or is written as few do: with escapes, or an IPv6 address. */
export function parseSshTarget(url: string): SshTarget | null {
  const [, place, port] = url.match(asUrl) ?? url.match(asPath) ?? url.match(asPathFromRoot) ?? [];
  if (place === undefined) return null;
  return port === undefined ? [place] : ['-p', port, place];
}

/** Whether a command for ssh, which git hands to a shell, is OpenSSH's with options and nothing else: more can be added behind it. Not where they say how connections are shared. */
export function isPlainSsh(command: string): boolean {
  const [program = '', ...words] = command.trim().split(/\s+/);
  const isSafe = /^(?:[\w\s./@:=,+%~-]|'[^'\n]*'|"[^"\n$`\\]*")*$/.test(command) && !command.includes('\n');
  const sharesItself = /\s-S|[Cc]ontrol(?:[Pp]ath|[Mm]aster)/.test(command);
  return isSafe && /^(?:[\w./+-]*\/)?ssh$/.test(program) && !words.includes('--') && !sharesItself;
}

/** Whether ssh would run as it is for a host, by what `ssh -G` says: it shares no connection there yet, and runs nothing beside. */
export function mayShare(settings: string): boolean {
  const all = new Map(settings.split('\n').map((row): [string, string] => [row.split(' ')[0] ?? '', row]));
  const isPlain = [undefined, 'controlmaster false', 'controlmaster no'].includes(all.get('controlmaster'));
  const isFree = !['controlpath', 'localcommand', 'remotecommand'].some((key) => all.has(key));
  return all.has('hostname') && isPlain && isFree;
}
