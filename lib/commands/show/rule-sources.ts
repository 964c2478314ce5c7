import { explainConfig } from '../../config/config-values.ts';
import type { LoadedConfig } from '../../config/load-config.ts';
import type { RuleName } from '../../policy/rules.ts';

/** The configuration key a rule comes from; rules that always hold have none. */
const keys: Partial<Record<RuleName, string>> = {
  'tool-not-allowed': 'permissions.allowed_tools',
  'tool-blocked': 'permissions.blocked_tools',
  'path-blocked': 'permissions.blocked_paths',
  'path-hidden': 'permissions.hidden_paths',
  'path-not-allowed': 'permissions.allowed_paths',
  'path-out-of-scope': 'validation.file_scope.enforce',
  'file-name': 'validation.file_naming.style',
  'bash-not-allowed': 'permissions.bash_rules.allowed_commands',
  'bash-pattern': 'permissions.bash_rules.blocked_patterns',
  'bash-environment': 'permissions.bash_rules.allowed_env',
  'commit-message': 'validation.commit_format.pattern',
  'diagnostics-only': 'validation.validator_diagnostics.commands',
  'recorded-only': 'validation.validator_diagnostics.commands',
  'file-size': 'sandbox.max_file_size_mb',
  'tests-missing': 'validation.require_tests.enabled',
};

/** Says where a rule is written: `permissions.blocked_paths (.blueflame.yml:5)`; null for rules that always hold. */
export function ruleSources(loaded: LoadedConfig): (rule: string) => string | null {
  const places = new Map(explainConfig(loaded.config, loaded.text).flatMap(placeOf));
  const bySource = keys as Readonly<Record<string, string | undefined>>;
  return (rule) => {
    const key = bySource[rule];
    return key === undefined ? null : `${key} ${places.get(key) ?? '(default)'}`;
  };
}

function placeOf(line: string): [string, string][] {
  const found = /^(\S+) = .*(\([^()]*\))$/.exec(line);
  return found === null ? [] : [[found[1] ?? '', found[2] ?? '']];
}
