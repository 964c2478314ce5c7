import {
  baseAddress,
  credentialSources,
  missingCredential,
  providers,
} from '../../cell/gateway/model-credential.ts';
import { askedProviders } from '../../cell/run/model-access.ts';
import { withOtherClis } from '../../cell/run/ready-clis.ts';
import type { RunnerContext } from '../../cell/runner-context.ts';
import type { Provider } from '../../domain/model-api.ts';
import { type Finding, finding } from '../../domain/shown/finding.ts';
import type { ConfiguredAdapters } from './configured-adapters.ts';

/** Whether there is a credential for each model API that some role of the configuration asks. It is not tried. */
export async function examineCredential(
  context: RunnerContext,
  { used }: ConfiguredAdapters,
): Promise<readonly Finding[]> {
  const asked = used.flatMap((name) =>
    askedProviders(context, context.adapters(name)).map((provider): [Provider, string] => [provider, name]),
  );
  return [...new Map(asked)].map(([provider, name]) => examineProvider(context, provider, name));
}

function examineProvider(context: RunnerContext, provider: Provider, adapter: string): Finding {
  const { env } = context;
  const missing = missingCredential(env, provider);
  const base = { area: 'programs', check: 'credential' } as const;
  if (missing !== null) {
    const { message, hints, lines: details } = withOtherClis(context, adapter, missing);
    return finding({ ...base, result: 'missing', message, hints, details });
  }
  const names = credentialSources(env, provider);
  const of = provider === 'anthropic' ? '' : ` of ${providers[provider].title}`;
  const message =
    names.length === 0
      ? `No credential is set; ${baseAddress(env, provider).name} is asked without one.`
      : `A credential for the model API${of} is in ${names.join(' and ')}; it was not tried.`;
  return finding({ ...base, result: 'proven', message });
}
