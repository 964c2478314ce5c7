import * as z from 'zod';

// `sandbox.egress`: which hosts cells reach through the gateway, and when.

/** When a cell may reach them: as a worktree is prepared, as an agent works, as diagnostics run. */
export const egressPhases = ['setup', 'work', 'diagnostics'] as const;
export type EgressPhase = (typeof egressPhases)[number];

/** npm's default registry. */
export const npmHost = 'registry.npmjs.org';

/** The public registries of the common package tools. */
const presets: Readonly<Record<string, readonly string[]>> = {
  npm: [npmHost],
  pypi: ['pypi.org', 'files.pythonhosted.org'],
  crates: ['index.crates.io', 'static.crates.io'],
  go: ['proxy.golang.org', 'sum.golang.org'],
};

/** The registries that the person's own npm, pip, cargo and go are set up for. */
export const configuredRegistriesEntry = 'from-config';

/** `host:port`, in small letters. */
export type EgressHost = string;

const securePort = 443;
const namePattern = /^(?=.{1,253}$)(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9])?\.)*[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** Why an entry is none; null: it is one. The text ends a sentence that begins with the entry's place. */
function entryProblem(entry: string): string | null {
  if (entry === configuredRegistriesEntry || Object.hasOwn(presets, entry)) return null;
  if (entry.includes('*')) return 'must name one host: a wildcard would open hosts that no person checked';
  if (/^[a-z][a-z+.-]*:\/\//i.test(entry)) return 'must be a host or host:port, without https:// and without a path';
  const { host, port } = splitHost(entry);
  if (/[[\]]|:.*:/.test(entry) || isNumber(host))
    return 'must be the name of a host, not an address: a certificate proves only the name';
  const isBareWord = !host.includes('.') && host !== 'localhost' && !/:\d+$/.test(entry);
  if (!namePattern.test(host) || isBareWord)
    return `is neither a host nor one of ${[...Object.keys(presets), configuredRegistriesEntry].join(', ')}`;
  return Number.isInteger(port) && port >= 1 && port <= 65_535 ? null : 'has no port between 1 and 65535';
}

/** How resolvers read an address too: 2130706433, 0x7f.1. */
function isNumber(host: string): boolean {
  return /^(?:0x[0-9a-f]*|\d+)$/i.test(host.split('.').at(-1) ?? '');
}

function splitHost(entry: string): { readonly host: string; readonly port: number } {
  const found = /^(.*?)(?::(\d*))?$/s.exec(entry.toLowerCase());
  const port = found?.[2];
  return { host: found?.[1] ?? '', port: port === undefined ? securePort : Number(port || Number.NaN) };
}

/** The hosts that a list of the configuration names, `from-config` left out. */
export function readEgressHosts(entries: readonly string[]): ReadonlySet<EgressHost> {
  const hosts = entries
    .filter((entry) => entry !== configuredRegistriesEntry)
    .flatMap((entry) => presets[entry] ?? [entry]);
  return new Set(
    hosts.map((entry) => {
      const { host, port } = splitHost(entry);
      return `${host}:${port}`;
    }),
  );
}

const entrySchema = z.string().superRefine((text, context) => {
  const problem = entryProblem(text);
  if (problem !== null) context.addIssue({ code: 'custom', message: problem });
});

const list = z.array(entrySchema).max(200).default([]);

export const egressSchema = z
  .strictObject({
    setup: list
      .describe(
        'While project.setup prepares a worktree on landed work. On agents’ work, before diagnostics too, only an install whose files are as on the base branch reaches them; other setup commands then reach the hosts in diagnostics.',
      )
      .meta({ examples: [['npm'], ['from-config', 'files.example.com']] }),
    work: list.describe('While an agent works: the agent, and all it runs, reach them.'),
    diagnostics: list.describe('While diagnostics run on agents’ code, and during the setup before them.'),
    private: z
      .array(entrySchema)
      .max(200)
      .default([])
      .describe('Hosts among them that may have private or loopback addresses, such as a mirror of your company.')
      .meta({ examples: [['packages.example.internal']] }),
    max_mb: z.int().min(1).default(2_048).describe('How much one command, or one agent, may download in total, in MB.'),
    max_sent_mb: z
      .int()
      .min(1)
      .default(4)
      .describe(
        'How much one command, or one agent, may send in total, in MB. An install sends about 1 kB for each package.',
      ),
  })
  .describe(
    'Hosts that cells reach, only through the gateway: npm, pypi, crates and go for the public registries, from-config for the registries that your npm, pip, cargo and go are configured for, or host[:port]. Empty: none.',
  );
