interface SecretRule {
  readonly id: string;
  readonly pattern: RegExp;
}

// The ids are those of the gitleaks rule set (https://github.com/gitleaks/gitleaks, config/gitleaks.toml), whose
// published token formats these patterns follow: prefixes that belong to one issuer, so that a match means something.
const secretRules: readonly SecretRule[] = [
  { id: 'aws-access-token', pattern: /\b(?:A3T[A-Z0-9]|AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b/ },
  { id: 'github-token', pattern: /\bgh[pousr]_[0-9A-Za-z]{36,255}\b/ },
  { id: 'github-fine-grained-pat', pattern: /\bgithub_pat_\w{36,255}/ },
  { id: 'gitlab-pat', pattern: /\bglpat-[\w-]{20,}/ },
  { id: 'anthropic-api-key', pattern: /\bsk-ant-[a-z0-9]+-[\w-]{20,}/ },
  {
    id: 'openai-api-key',
    pattern:
      /\bsk-(?:(?:proj|svcacct|admin)-[\w-]{32,}|[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20}|[A-Za-z0-9]{48}\b)/,
  },
  { id: 'slack-token', pattern: /\bxox[abeoprs]-(?:\d+-)*[0-9A-Za-z-]{10,}/ },
  { id: 'slack-app-token', pattern: /\bxapp-\d-[A-Z0-9]+-\d+-[a-z0-9]+/i },
  {
    id: 'slack-webhook-url',
    pattern: /hooks\.slack\.com\/(?:services|workflows|triggers)\/[A-Za-z0-9+/]{43,}/,
  },
  { id: 'private-key', pattern: /-----BEGIN[ A-Z0-9_-]{0,100}PRIVATE KEY(?: BLOCK)?-----/ },
  { id: 'gcp-api-key', pattern: /\bAIza[\w-]{35}/ },
  { id: 'stripe-access-token', pattern: /\b[sr]k_(?:test|live|prod)_[A-Za-z0-9]{10,99}\b/ },
  { id: 'npm-access-token', pattern: /\bnpm_[A-Za-z0-9]{36}\b/ },
  { id: 'pypi-upload-token', pattern: /\bpypi-AgEIcHlwaS5vcmc[\w-]{50,}/ },
  { id: 'huggingface-access-token', pattern: /\bhf_[A-Za-z]{34}\b/ },
  { id: 'sendgrid-api-token', pattern: /\bSG\.[\w-]{22}\.[\w-]{43}\b/ },
  { id: 'digitalocean-token', pattern: /\bdo[opr]_v1_[a-f0-9]{64}\b/ },
  { id: 'shopify-token', pattern: /\bshp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}\b/ },
  { id: 'age-secret-key', pattern: /\bAGE-SECRET-KEY-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}\b/ },
];

export interface SecretFinding {
  readonly id: string;
  /** 1-based. */
  readonly line: number;
}

/**
 * Credentials in the lines a change added: lines that the old text holds, too, don't count. The findings
 * name the kind and the line, never the credential. Programs hold the first line of a key without any key:
 * `isBinary` asks for more of it.
 */
export function findSecrets(
  text: string,
  oldText: string | null,
  isBinary = false,
): readonly SecretFinding[] {
  const known = new Set(oldText?.split('\n') ?? []);
  const lines = text.split('\n');
  return lines.flatMap((content, index) => {
    if (content.length < 16 || known.has(content)) return [];
    return secretRules
      .filter((rule) => rule.pattern.test(content))
      .filter(({ id }) => !isBinary || id !== 'private-key' || /^[\w+/=]{40}/.test(lines[index + 1] ?? ''))
      .map((rule) => ({ id: rule.id, line: index + 1 }));
  });
}
