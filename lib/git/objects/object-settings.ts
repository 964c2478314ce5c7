import { type GitContext, runGit } from '../process/run-git.ts';
import { defaultObjectSettings, type ObjectSettings } from './object-file.ts';

/** What the repository's configuration says about writing objects, as git itself would follow it. */
export async function readObjectSettings(context: GitContext, gitDir: string): Promise<ObjectSettings> {
  const { stdout } = await runGit(
    { ...context, cwd: gitDir },
    [
      `--git-dir=${gitDir}`,
      'config',
      '--null',
      '--get-regexp',
      '^core\\.(fsync|fsyncobjectfiles|compression|loosecompression|sharedrepository)$',
    ],
    { accept: [0, 1] },
  );
  return parseObjectSettings(stdout.toString());
}

/** Takes the output of `git config --null --get-regexp`. */
export function parseObjectSettings(output: string): ObjectSettings {
  const values = new Map<string, string>();
  for (const record of output.split('\0').filter((text) => text !== '')) {
    const [key = '', value = 'true'] = record.split(/\n([\s\S]*)/);
    values.set(key.toLowerCase(), value);
  }
  const level = Number(values.get('core.loosecompression') ?? values.get('core.compression') ?? '1');
  return {
    isSynced: isSynced(values.get('core.fsync') ?? '', values.get('core.fsyncobjectfiles') ?? 'false'),
    isPackSynced: isPackSynced(values.get('core.fsync') ?? ''),
    level: Number.isInteger(level) && level >= -1 && level <= 9 ? level : defaultObjectSettings.level,
    sharedBits: sharedBits(values.get('core.sharedrepository') ?? 'umask'),
  };
}

function isSynced(components: string, old: string): boolean {
  const covers = ['loose-object', 'objects', 'committed', 'added', 'all'];
  return components.split(/[\s,]+/).some((name) => covers.includes(name)) || /^(?:true|yes|on|1)$/i.test(old);
}

/** Unlike loose objects they are, unless somebody says otherwise. */
function isPackSynced(components: string): boolean {
  const names = components.split(/[\s,]+/);
  const covers = ['pack', 'objects', 'committed', 'added', 'all'];
  return (
    covers.some((name) => names.includes(name)) ||
    !['none', ...covers.map((name) => `-${name}`)].some((name) => names.includes(name))
  );
}

function sharedBits(value: string): number {
  if (/^(?:group|true|yes|on|1)$/i.test(value)) return 0o660;
  if (/^(?:all|world|everybody|2)$/i.test(value)) return 0o664;
  return /^0[0-7]{3}$/.test(value) ? Number.parseInt(value, 8) & 0o666 : 0;
}
