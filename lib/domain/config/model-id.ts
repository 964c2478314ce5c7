/**
 * A model's family and version, by its id: `claude-sonnet-4-5-20250929` is sonnet 4.5, `sonnet` any sonnet.
 */
export interface ModelName {
  readonly family: string;
  /** '' where the id names none. */
  readonly version: string;
}

const families = 'opus|sonnet|haiku|fable|mythos';
// `…-4-5-20250929`: eight digits are a day, not a version.
const nameThenVersion = new RegExp(
  `(?:^|claude-)(${families})(?:-(\\d{1,2})(?:-(\\d{1,2}))?)?(?=$|[^\\da-z])`,
);
const versionThenName = new RegExp(`claude-(\\d)(?:-(\\d))?-(${families})\\b`);

/** null of an id that names no family of Claude models. */
export function parseModelId(id: string): ModelName | null {
  if (Object.hasOwn(aliases, id)) return { family: aliases[id]?.[0] ?? '', version: '' };
  const old = versionThenName.exec(id);
  if (old !== null) return { family: old[3] ?? '', version: joinVersion(old[1], old[2]) };
  const found = nameThenVersion.exec(id);
  return found === null ? null : { family: found[1] ?? '', version: joinVersion(found[2], found[3]) };
}

function joinVersion(major = '', minor = ''): string {
  return minor === '' || minor === '0' ? major : `${major}.${minor}`;
}

/** Whether it names a family as a whole, such as `sonnet`: which version is asked for, the CLI says. */
export function isModelAlias(model: string): boolean {
  return Object.hasOwn(aliases, withoutSuffix(model));
}

// What the claude CLI calls models by; it asks for whatever version it was made with.
const aliases: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(families.split('|').map((family) => [family, [family]])),
  opusplan: ['opus', 'sonnet'],
  best: ['fable', 'opus'],
  default: ['opus', 'sonnet'],
};
/** The small model the CLI itself asks for: summaries of pages, titles. */
const helper = 'haiku';

/**
 * Whether an agent that runs with the model `meant`, as a person wrote it, may ask for the model `asked`: that model,
 * of an alias any version, and the CLI's small helper.
 */
export function mayAskFor(meant: string, asked: string): boolean {
  if (asked === meant) return true;
  // Services read such an id as a path, or as another one.
  if (/[^\w.:@[\]-]|\.\./.test(asked)) return false;
  const name = parseModelId(asked);
  if (name?.family === helper && asked.startsWith('claude-')) return true;
  const plain = withoutSuffix(meant);
  const known = Object.hasOwn(aliases, plain) ? aliases[plain] : undefined;
  if (known !== undefined) return name !== null && known.includes(name.family);
  return undated(asked) === undated(plain);
}

/** `sonnet[1m]` asks for sonnet, with a long context. */
function withoutSuffix(model: string): string {
  return model.replace(/\[\w+\]$/, '');
}

function undated(model: string): string {
  return model.replace(/-(?:\d{8}|latest)$/, '');
}
