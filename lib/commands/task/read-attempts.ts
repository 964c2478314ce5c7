/**
 * `--attempts` as a plan file says it: a number, or adapters with their models, `claude,codex:gpt-5.5`. What can't be one is
 * left for the plan's own checks to name.
 */
export function readAttempts(text: string): number | readonly object[] {
  if (/^\d+$/.test(text.trim())) return Number(text);
  return text.split(',').map((part) => {
    const [, adapter = '', model] = /^([^:]*)(?::(.*))?$/s.exec(part.trim()) ?? [];
    return model === undefined ? { adapter } : { adapter, model };
  });
}
