import { judgeTree } from '../judge-tree.ts';
import { type Objection, objection } from '../rules.ts';
import { scanOptions } from './options.ts';
import { judgeAll, judgeScanned, type ProgramCall } from './program.ts';

/** What it packs may be read, with all that is below. */
export function judgeZip(call: ProgramCall): Objection | null {
  const scanned = scanOptions(
    '-r -q -j -9 -u -v -x: --recurse-paths --quiet --exclude=',
    call.args.slice(call.trusted),
  );
  const [archive, ...packed] = scanned.operands;
  return (
    judgeScanned(call, scanned) ??
    judgeAll(call.context, archive === undefined ? [] : [{ path: archive, access: 'write' }]) ??
    judgeTreesRead(call, packed)
  );
}

/** Lists and prints an archive; unpacks it where everything may be written. */
export function judgeUnzip(call: ProgramCall): Objection | null {
  const scanned = scanOptions('-l -v -t -Z -q -p -o -n -d:', call.args.slice(call.trusted));
  const { given, operands } = scanned;
  const isLooking = ['l', 'v', 't', 'Z', 'p'].some((name) => given.has(name));
  const archive = operands.slice(0, 1).map((path) => ({ path, access: 'read' as const }));
  return (
    judgeScanned(call, scanned) ??
    judgeAll(call.context, archive) ??
    (isLooking ? null : judgeUnpacked(call, given.get('d') ?? []))
  );
}

const tarLetters = 'cxtrzjJvkmOpf';

/** Lists and makes archives of what may be read; unpacks only beside nothing: into a folder that may be written as a whole. */
export function judgeTar(call: ProgramCall): Objection | null {
  const [first = '', ...rest] = call.args.slice(call.trusted);
  const isOld = /^[a-zA-Z]+$/.test(first);
  const args = isOld ? [`-${first}`, ...rest] : [first, ...rest];
  const scanned = scanOptions(
    `-${tarLetters.replace('f', '')} -f: -C: --create --extract --list --gzip --bzip2 --xz --zstd --verbose --file= --directory= --exclude=~ --exclude-vcs --strip-components= --keep-old-files --to-stdout --auto-compress -a`,
    args,
  );
  const { given, operands } = scanned;
  const unsafe = judgeScanned(call, scanned);
  if (unsafe !== null) return unsafe;
  const values = (...names: readonly string[]): readonly string[] =>
    names.flatMap((name) => given.get(name) ?? []);
  const has = (...names: readonly string[]): boolean => names.some((name) => given.has(name));
  const archives = values('f', 'file');
  if (archives.length !== 1 || archives.some((one) => one.includes(':')))
    return objection('bash-option', 'tar needs one archive on this machine: tar cf FILE ….');
  const folders = values('C', 'directory');
  const isListing = has('t', 'list') || (has('x', 'extract') && has('O', 'to-stdout'));
  const archive = archives.filter((one) => one !== '-');
  if (has('x', 'extract') && !isListing)
    return (
      judgeAll(
        call.context,
        archive.map((path) => ({ path, access: 'read' as const })),
      ) ?? judgeUnpacked(call, folders)
    );
  const writes = has('c', 'create', 'r');
  const sources = operands.flatMap((path) =>
    folders.length === 0 || path.startsWith('/') ? [path] : folders.map((folder) => `${folder}/${path}`),
  );
  return (
    judgeAll(
      call.context,
      archive.map((path) => ({ path, access: writes ? ('write' as const) : ('read' as const) })),
    ) ??
    (writes
      ? judgeTreesRead(call, [...folders, ...sources])
      : judgeAll(
          call.context,
          [...folders].map((path) => ({ path, access: 'read' as const })),
        ))
  );
}

function judgeTreesRead(call: ProgramCall, paths: readonly string[]): Objection | null {
  return (
    paths.map((path) => judgeTree(call.context, path, { access: 'read' })).find((one) => one !== null) ?? null
  );
}

/** What an archive holds is not known: it may be unpacked where everything may be written. */
function judgeUnpacked(call: ProgramCall, folders: readonly string[]): Objection | null {
  const [folder, ...others] = folders;
  if (folder === undefined || others.length > 0)
    return objection(
      'bash-option',
      'Unpack into a folder of your scope: tar xf ARCHIVE -C FOLDER, unzip ARCHIVE -d FOLDER.',
    );
  return judgeAll(call.context, [
    { path: `${folder}/any/file`, access: 'write' },
    { path: `${folder}/file`, access: 'write' },
  ]);
}
