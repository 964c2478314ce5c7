/**
 * Files and folders at the top of a repository that agent CLIs obey as settings: hooks, plugins, servers, permissions.
 * The person's own CLI reads them; the CLIs of agents must not.
 */
export const agentSettings: readonly string[] = [
  ...['.claude', '.claude.json', '.mcp.json', '.codex', '.gemini', '.cursor', '.agents'],
  ...[
    '.opencode',
    'opencode.json',
    'opencode.jsonc',
    '.kimi',
    '.kimi-code',
    '.copilot',
    '.github/hooks',
    '.github/copilot',
  ],
];
