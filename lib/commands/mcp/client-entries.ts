import { badOptionValueError } from '../../domain/input-errors.ts';

/** How one chat gets the tools: by a command, or by an entry in a file of its settings. */
interface ClientEntry {
  readonly client: string;
  /** The place for the lines. */
  readonly where: string;
  readonly lines: readonly string[];
}

const server = { command: 'git', args: ['flame', 'mcp'] };
/** Longer than any call takes, in milliseconds: a person may have to decide while it waits. */
const timeout = 120_000;

const json = (value: unknown): readonly string[] => JSON.stringify(value, null, 2).split('\n');

const entries: readonly ClientEntry[] = [
  {
    client: 'claude',
    where: 'in a shell, in the repository (add --scope user for all of them)',
    lines: ['claude mcp add flame -- git flame mcp'],
  },
  {
    client: 'codex',
    where: '~/.codex/config.toml; it passes on only the keys named here',
    lines: [
      '[mcp_servers.flame]',
      'command = "git"',
      'args = ["flame", "mcp"]',
      `tool_timeout_sec = ${timeout / 1_000}`,
      'env_vars = ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "MOONSHOT_API_KEY"]',
    ],
  },
  {
    client: 'gemini',
    where: '~/.gemini/settings.json; it passes on no keys: add "env": {"NAME": "$NAME"} for those your agents need',
    lines: json({
      mcpServers: {
        flame: { ...server, timeout },
      },
    }),
  },
  {
    client: 'opencode',
    where: '~/.config/opencode/opencode.json, or opencode.json in the repository',
    lines: json({
      mcp: { flame: { type: 'local', command: [server.command, ...server.args], enabled: true, timeout } },
    }),
  },
  {
    client: 'kimi',
    where: '~/.kimi-code/mcp.json',
    lines: json({ mcpServers: { flame: { ...server, toolTimeoutMs: timeout } } }),
  },
  {
    client: 'copilot',
    where:
      'in a shell; it removes keys from the environment of servers: add --env NAME=VALUE for those your agents need; it stores them in its settings',
    lines: [`copilot mcp add flame --timeout ${timeout} -- git flame mcp`],
  },
];

const clientNames: readonly string[] = entries.map(({ client }) => client);

/** The entries of one chat, or of all where none is named (''). Throws FlameError `bad-value`. */
export function clientEntries(name: string): readonly ClientEntry[] {
  const found = entries.filter(({ client }) => name === '' || client === name);
  if (found.length > 0) return found;
  throw badOptionValueError(`Option --print knows ${clientNames.join(', ')}, not ${JSON.stringify(name)}.`, {
    hints: ['git flame mcp --print'],
  });
}
