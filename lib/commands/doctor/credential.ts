import { credentialSources, missingCredential } from '../../cell/gateway/model-credential.ts';
import type { RunnerContext } from '../../cell/runner-context.ts';
import { needsModel } from '../../domain/ports/adapter.ts';
import { type Finding, finding } from '../../domain/shown/finding.ts';
import type { ConfiguredAdapters } from './configured-adapters.ts';

/** Whether there is a credential for the model API, where some role of the configuration uses a model. It is not tried. */
export async function examineCredential(
  context: RunnerContext,
  { used }: ConfiguredAdapters,
): Promise<readonly Finding[]> {
  if (!used.some((name) => needsModel(context.adapters(name)))) return [];
  const missing = missingCredential(context.env);
  const base = { area: 'programs', check: 'credential' } as const;
  if (missing !== null) {
    const { message, hints, lines: details } = missing;
    return [finding({ ...base, result: 'missing', message, hints, details })];
  }
  const names = credentialSources(context.env);
  const message =
    names.length === 0
      ? 'No credential is set; ANTHROPIC_BASE_URL is asked without one.'
      : `A credential for the model API is in ${names.join(' and ')}; it was not tried.`;
  return [finding({ ...base, result: 'proven', message })];
}
