import type { GitContext } from '../process/run-git.ts';
import { repositorySettings, type Settings } from '../process/settings.ts';
import { defaultObjectSettings, type ObjectSettings } from './loose-object.ts';

/** What the repository's configuration says about writing objects, as git itself would follow it. */
export async function readObjectSettings(
  { env }: Pick<GitContext, 'env'>,
  commonDir: string,
): Promise<ObjectSettings> {
  return objectSettingsOf(await repositorySettings(env, commonDir));
}

/** The same, of settings that were read. */
export function objectSettingsOf(settings: Settings): ObjectSettings {
  const level = Number(settings.value('core.loosecompression') ?? settings.value('core.compression') ?? '1');
  const components = settings.value('core.fsync') ?? '';
  return {
    isSynced: isSynced(components) || settings.isTrue('core.fsyncobjectfiles'),
    level: Number.isInteger(level) && level >= -1 && level <= 9 ? level : defaultObjectSettings.level,
    sharedBits: sharedBits(settings.value('core.sharedrepository') ?? 'umask'),
  };
}

function isSynced(components: string): boolean {
  const covers = ['loose-object', 'objects', 'committed', 'added', 'all'];
  return components.split(/[\s,]+/).some((name) => covers.includes(name));
}

function sharedBits(value: string): number {
  if (/^(?:group|true|yes|on|1)$/i.test(value)) return 0o660;
  if (/^(?:all|world|everybody|2)$/i.test(value)) return 0o664;
  return /^0[0-7]{3}$/.test(value) ? Number.parseInt(value, 8) & 0o666 : 0;
}
