/**
 * A model's family and version, by its id: `claude-sonnet-4-5-20250929` is sonnet 4.5, `sonnet` any sonnet.
 */
export interface ModelName {
  readonly family: string;
  /** '' of an alias. */
  readonly version: string;
  /** The day its id ends with, such as `20250929`; '' where it ends with none. */
  readonly day: string;
}

const families = 'opus|sonnet|haiku|fable|mythos';
// As the API and the claude CLI write ids, from the first character to the last: what only begins as one is another model.
// `…-4-5-20250929`: eight digits are a day, not a version; some services write `@20250929`.
const day = '(?:[-@](20\\d{6}))?';
const nameThenVersion = new RegExp(`^claude-(${families})-([4-9]|\\d\\d)(?:-(\\d{1,2}))?${day}$`);
// Until version 3.7.
const versionThenName = new RegExp(`^claude-(3)(?:-([57]))?-(${families})(?:-latest|${day})$`);

/** null of what is no id of a Claude model, and no alias of a family. */
export function parseModelId(id: string): ModelName | null {
  const plain = dropModelSuffix(id);
  const [family] = listFamiliesOfAlias(plain);
  if (family !== undefined) return { family, version: '', day: '' };
  const old = versionThenName.exec(plain);
  if (old !== null) return { family: old[3] ?? '', version: joinVersion(old[1], old[2]), day: old[4] ?? '' };
  const found = nameThenVersion.exec(plain);
  if (found === null) return null;
  return { family: found[1] ?? '', version: joinVersion(found[2], found[3]), day: found[4] ?? '' };
}

/** The id of a family's version, such as `4.5`, without a day. */
export function buildModelId(family: string, version: string): string {
  const numbers = version.replace('.', '-');
  return version.startsWith('3') ? `claude-${numbers}-${family}` : `claude-${family}-${numbers}`;
}

/** Whether it names a family as a whole, such as `sonnet`: which version is asked for, the CLI says. */
export function isModelAlias(model: string): boolean {
  return listFamiliesOfAlias(model).length > 0;
}

/** The families an alias may stand for, the dearest first; none of what is no alias. */
export function listFamiliesOfAlias(model: string): readonly string[] {
  const plain = dropModelSuffix(model);
  return Object.hasOwn(aliases, plain) ? (aliases[plain] ?? []) : [];
}

/** `sonnet[1m]` asks for sonnet, with a long context. */
export function dropModelSuffix(model: string): string {
  return model.replace(/\[1m\]$/, '');
}

// The claude CLI's aliases of models; each stands for the version that the CLI was released with.
const aliases: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(families.split('|').map((family) => [family, [family]])),
  opusplan: ['opus', 'sonnet'],
  best: ['fable', 'opus'],
  default: ['opus', 'sonnet'],
};

function joinVersion(major = '', minor = ''): string {
  return minor === '' || minor === '0' ? major : `${major}.${minor}`;
}
