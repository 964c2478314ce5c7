import { FlameError } from '../../domain/flame-error.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Variables that hold a credential for the model API, as the claude CLI reads them; the first one set counts first. */
const credentialVariables = ['ANTHROPIC_AUTH_TOKEN', 'ANTHROPIC_API_KEY', 'CLAUDE_CODE_OAUTH_TOKEN'] as const;

/** Which variables the credential is taken from: a token of a subscription only where there is no other. */
export function credentialSources(env: Environment): readonly string[] {
  const own = credentialVariables.filter((name) => name !== 'CLAUDE_CODE_OAUTH_TOKEN' && env[name]);
  if (own.length > 0) return own;
  return env.CLAUDE_CODE_OAUTH_TOKEN ? ['CLAUDE_CODE_OAUTH_TOKEN'] : [];
}

/** Why no model can be asked from this environment, before anything is started; null if it can, or another address is set. */
export function missingCredential(env: Environment): FlameError | null {
  // Servers of one's own may want none.
  if (credentialSources(env).length > 0 || env.ANTHROPIC_BASE_URL) return null;
  return new FlameError({
    kind: 'environment',
    code: 'no-credential',
    message: 'There is no credential for the model API, so no agent that uses a model can work.',
    details: ["The claude CLI's own login is not used: agents have a home folder of their own."],
    hints: [
      'export ANTHROPIC_API_KEY=<key of the Anthropic Console>',
      'or with a subscription: export CLAUDE_CODE_OAUTH_TOKEN="$(claude setup-token)"',
      'or for a proxy of your own: export ANTHROPIC_BASE_URL=<address> ANTHROPIC_AUTH_TOKEN=<token>',
    ],
  });
}
