import { ignoredVariables } from '../../cell/gateway/ignored-variables.ts';
import { baseAddress, credentialSources, providerFacts } from '../../cell/gateway/model-credential.ts';
import { askedProviders, unusable } from '../../cell/run/model-access.ts';
import { withOtherClis } from '../../cell/run/ready-clis.ts';
import type { RunnerContext } from '../../cell/runner-context.ts';
import type { Provider } from '../../domain/model-api.ts';
import { checkOf, type Finding } from '../../domain/shown/finding.ts';
import type { ConfiguredAdapters } from './configured-adapters.ts';

const subscription = 'CLAUDE_CODE_OAUTH_TOKEN';

/** Whether there is a credential for each model API that some role of the configuration asks. It is not tried. */
export async function examineCredential(
  context: RunnerContext,
  { used }: ConfiguredAdapters,
): Promise<readonly Finding[]> {
  const asked = used.flatMap((name) =>
    askedProviders(context, context.adapters(name)).map((provider): [Provider, string] => [provider, name]),
  );
  const findings = [...new Map(asked)].map(([provider, name]) => examineProvider(context, provider, name));
  const isSubscribed = asked.some(([provider]) => isOfSubscription(context, provider));
  return [...findings, ...(isSubscribed ? [ofSubscription()] : []), ...examineIgnored(context, used)];
}

/** What a CLI by itself would go by here. */
function examineIgnored(context: RunnerContext, used: readonly string[]): readonly Finding[] {
  const { env, config } = context;
  const ignored = used.flatMap((adapter) =>
    ignoredVariables(env, { config, adapter, providers: askedProviders(context, context.adapters(adapter)) }),
  );
  if (ignored.length === 0) return [];
  return [
    checkOf('programs', 'ignored-variables').weaker(
      "Not all that the environment tells the agents' CLIs holds for agents.",
      { details: [...new Set(ignored)] },
    ),
  ];
}

function isOfSubscription({ env }: RunnerContext, provider: Provider): boolean {
  return credentialSources(env, provider).some(
    (name) => /sk-ant-oat/.test(env[name] ?? '') || name === subscription,
  );
}

/** The gateway holds agents to their budgets and keeps the token outside as it does with a key; this is what differs. */
function ofSubscription(): Finding {
  const message = 'With the token of a subscription not everything is as with a key.';
  return checkOf('programs', 'limits-subscription').weaker(message, {
    details: [
      'Limits and figures in dollars are what the tokens cost at list prices: a subscription is charged otherwise. Limits in tokens say what they mean.',
      "The subscription's own limits, of some hours and of a week, are known only once one is reached: its agents then wait for the end that the API names, and go on by themselves. limits.wait_for_service says how long a run waits, or never.",
      'Which models and how many agents at once it allows is for the API to say; it was tried with a scripted one alone.',
    ],
  });
}

function examineProvider(context: RunnerContext, provider: Provider, adapter: string): Finding {
  const { env } = context;
  const missing = unusable(env, provider);
  const check = checkOf('programs', 'credential');
  if (missing !== null) return check.failed(withOtherClis(context, adapter, missing));
  const names = credentialSources(env, provider);
  const of = provider === 'anthropic' ? '' : ` of ${providerFacts(env, provider).title}`;
  const message =
    names.length === 0
      ? `No credential is set; ${baseAddress(env, provider).name} is asked without one.`
      : `A credential for the model API${of} is in ${names.join(' and ')}; it was not tried.`;
  return check.proven(message);
}
