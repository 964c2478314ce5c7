import {
  buildModelId,
  dropModelSuffix,
  isModelAlias,
  listFamiliesOfAlias,
  type ModelName,
  parseModelId,
} from './model-id.ts';
import { listPricedVersions, type PriceList } from './token-price.ts';

/** The model an agent runs with, as a person wrote it. */
export interface ConfiguredModel {
  readonly role: string;
  readonly model: string;
  readonly prices: PriceList;
  /** The family of a small model that its CLI asks by itself, in sub-agents that only look and to sum up pages. */
  readonly helper: string | null;
}

/**
 * Whether an agent may ask for a model: its own; of an alias any version that is known; and the CLI's small helper, where it has one. It
 * is the same model with and without a day in its id. An alias itself is never asked for: the CLI resolves it.
 */
export function isModelPermitted({ model, prices, helper }: Omit<ConfiguredModel, 'role'>, asked: string): boolean {
  if (asked === model && (!isModelAlias(model) || Object.hasOwn(prices, model))) return true;
  const name = parseModelId(asked);
  const selected = dropModelSuffix(model);
  if (name === null) return asked === selected && !isModelAlias(selected);
  if (isModelAlias(asked)) return false;
  const allowed = [...listFamiliesOfAlias(selected), ...(helper === null ? [] : [helper])];
  if (allowed.includes(name.family) && isKnown(name, prices)) return true;
  const own = parseModelId(selected);
  return own !== null && isSame(own, name);
}

/** Why it may not, with the models it may ask for and the keys of the configuration that allow another one. */
export function explainForbiddenModel({ role, model, prices, helper }: ConfiguredModel, asked: string): string {
  const families = listFamiliesOfAlias(model);
  const versions = families.flatMap((family) => knownIds(family, prices));
  const selected = families.length === 0 ? model : `${model} (${versions.join(', ')})`;
  const beside = helper === null ? '' : `, and also ${knownIds(helper, prices).join(', ')}`;
  return (
    `This agent may not call the model ${JSON.stringify(asked)}. It may call ${selected}${beside}. ` +
    `In .blueflame.yml models.${role} or models.groups names another ` +
    'one, and models.prices adds a version that is not known.'
  );
}

function isSame(selected: ModelName, asked: ModelName): boolean {
  const isSameDay = selected.day === '' || asked.day === '' || selected.day === asked.day;
  return selected.family === asked.family && selected.version === asked.version && isSameDay;
}

function isKnown({ family, version }: ModelName, prices: PriceList): boolean {
  return versionsOf(family, prices).has(version);
}

function knownIds(family: string, prices: PriceList): readonly string[] {
  return [...versionsOf(family, prices)].map((version) => buildModelId(family, version)).sort();
}

/** Versions with a list price, and those a person names whole in their own prices. */
function versionsOf(family: string, prices: PriceList): ReadonlySet<string> {
  const named = Object.keys(prices).flatMap((key) => {
    const name = parseModelId(key);
    return name?.family === family && name.version !== '' ? [name.version] : [];
  });
  return new Set([...listPricedVersions(family), ...named]);
}
