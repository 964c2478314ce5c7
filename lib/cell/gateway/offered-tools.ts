import { isRecord, type JsonRecord } from '../../util/json-record.ts';

/**
 * The names of the tools a request offers, as each API has them: rather too many than too few, so that a tool which is
 * not among them was not offered.
 */
export function offeredTools({ tools, input }: JsonRecord): ReadonlySet<string> {
  const names = new Set<string>();
  const added = Array.isArray(input)
    ? input.filter((item) => isRecord(item) && item.type === 'additional_tools')
    : [];
  gather([tools, added], names);
  return names;
}

function gather(value: unknown, names: Set<string>): void {
  if (Array.isArray(value)) for (const one of value) gather(one, names);
  if (!isRecord(value)) return;
  if (typeof value.name === 'string') names.add(value.name);
  for (const one of Object.values(value)) gather(one, names);
}
