import { isRecord, type JsonRecord, parseRecord } from '../../util/json.ts';

/** Codex's own list of models (`codex debug models`), as one line of JSON; null where it printed none. */
export function readCatalog(output: string): string | null {
  const { models } = parseRecord(output);
  return Array.isArray(models) && models.some(hasSlug) ? JSON.stringify({ models }) : null;
}

interface Wanted {
  readonly model: string;
  readonly instructions: string;
  /** Whether it may run commands and change files: the lead agent calls our tools alone. */
  readonly hasShell: boolean;
}

/**
 * Returns the catalog an agent runs with: its model alone, with tools that are called one by one. In the code mode that
 * its newer models are made for, hooks get ids that no conversation shows, so no call could be matched to a decision.
 * A model that Codex doesn't know has plain tools by itself, but for the patch.
 */
export function catalogFor(catalog: string, wanted: Wanted): string {
  const { model } = wanted;
  const { models } = parseRecord(catalog);
  const known = (Array.isArray(models) ? models : []).filter(hasSlug);
  // Dated versions have their model's facts.
  const found = known
    .filter(({ slug }) => model === slug || model.startsWith(`${slug}-`))
    .sort((one, other) => other.slug.length - one.slug.length)[0];
  // A catalog holds one at least: else a name that only begins like a known one would be taken for that.
  const entry = found === undefined ? { ...known[0], slug: 'no-model' } : { ...found, slug: model };
  return `${JSON.stringify({ models: [plainTools(entry, wanted)] })}\n`;
}

function plainTools(entry: JsonRecord, { instructions, hasShell }: Wanted): JsonRecord {
  const { multi_agent_version: _, ...rest } = entry;
  return {
    ...rest,
    tool_mode: null,
    use_responses_lite: false,
    supports_search_tool: false,
    experimental_supported_tools: [],
    availability_nux: null,
    upgrade: null,
    // They would stand before the instructions, and speak of tools that aren't offered.
    model_messages: null,
    base_instructions: instructions,
    ...(hasShell ? {} : { shell_type: 'disabled', apply_patch_tool_type: null }),
  };
}

function hasSlug(entry: unknown): entry is JsonRecord & { readonly slug: string } {
  return isRecord(entry) && typeof entry.slug === 'string';
}
