import { existsSync } from 'node:fs';
import { join } from 'node:path';

// The agent CLIs are not among the project's dependencies: FLAME_TEST_CLIS names a node_modules folder where they are
// installed, in the versions of .ci/clis.json, as `.ci/run` does it.
const folder = process.env.FLAME_TEST_CLIS ?? '';
const system = `${process.platform}-${process.arch}`;

const programs: Readonly<Record<string, readonly string[]>> = {
  claude: [`@anthropic-ai/claude-code-${system}/claude`],
  gemini: ['@google/gemini-cli/bundle/gemini.js'],
  kimi: ['@moonshot-ai/kimi-code/dist/main.mjs'],
  codex: [
    `@openai/codex-${system}/vendor/x86_64-unknown-linux-musl/bin/codex`,
    `@openai/codex-${system}/vendor/aarch64-unknown-linux-musl/bin/codex`,
  ],
  opencode: [`opencode-${system}/bin/opencode`],
  copilot: [`@github/copilot-${system}/copilot`],
  // No CLI of agents, but the protocol's own scenarios.
  conformance: ['@modelcontextprotocol/conformance/dist/index.js'],
};

/** Newer than the project does. */
const needNewerNode = new Set(['kimi', 'conformance']);

/** The command of a CLI where it is installed for tests; null where it isn't. */
export function findCli(name: string): readonly [string, ...string[]] | null {
  const found = (programs[name] ?? []).map((path) => join(folder, path)).find(existsSync);
  if (folder === '' || found === undefined) return null;
  if (!/\.m?js$/.test(found)) return [found];
  const newer = join(folder, `node-${system}/bin/node`);
  return [needNewerNode.has(name) && existsSync(newer) ? newer : process.execPath, found];
}

/** Where `.ci/run` had the Copilot CLI unpack its files. */
export const copilotFiles = { COPILOT_PKG_CACHE_HOME: join(folder, '.copilot') };

/** What to say where it isn't. */
export function needsCli(name: string): string {
  return `needs bubblewrap, and ${name} in the folder that FLAME_TEST_CLIS names`;
}
