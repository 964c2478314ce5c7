import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { findCli } from '../../support/clis.ts';
import { makeExecProject } from '../../support/exec-project.ts';
import { showOverHttp } from '../../support/mcp-over-http.ts';
import { enterNetworkNamespace } from '../../support/model-namespace.ts';
import { programEnd, programFolder } from '../../support/program.ts';
import { makeTempDir } from '../../support/repo.ts';
import { testIf } from '../../support/skip.ts';

// The protocol's own scenarios, as far as they are not about tools, prompts or resources that a server is to have for
// them, or about HTTP, which the door before ours speaks. Each also holds every message against the schema of its
// revision.

const scenarios: readonly (readonly [revision: string, name: string])[] = [
  ['2025-06-18', 'server-initialize'],
  ['2025-06-18', 'ping'],
  ['2025-06-18', 'tools-list'],
  ['2025-11-25', 'server-initialize'],
  ['2025-11-25', 'server-session-lifecycle'],
  ['2025-11-25', 'ping'],
  ['2025-11-25', 'tools-list'],
  // Refused as a tool there is not.
  ['2025-11-25', 'tools-call-error'],
  ['2026-07-28', 'tools-list'],
  ['2026-07-28', 'tools-call-error'],
  ['2026-07-28', 'caching'],
  ['2026-07-28', 'server-stateless'],
  ['2026-07-28', 'input-required-result-unsupported-methods'],
  ['2026-07-28', 'input-required-result-validate-input'],
];

/** Checks of what we have not: prompts, resources, the tools of the scenarios, HTTP headers, streams over HTTP. */
const notOurs = [
  /^sep-2549-(?:prompts|resources)-/,
  /^tools-call-error$/,
  /^sep-2575-http-server-header-mismatch-400$/,
  /^sep-2575-(?:server-rejects-undeclared|missing)-capability/,
  /^sep-2575-(?:http-server-no-independent-requests|server-no-log-without-loglevel)/,
  /^sep-2575-server-(?:sends|tags|honors)-(?:subscription|notification|tools|prompts)/,
];

const command = findCli('conformance');
const place = command === null ? 'none' : enterNetworkNamespace();

interface Check {
  readonly id: string;
  readonly status: string;
  readonly errorMessage?: string;
}

async function checksOf(url: string, revision: string, name: string): Promise<readonly Check[]> {
  const out = makeTempDir('conformance');
  const home = join(out, 'home');
  mkdirSync(home);
  const [program = '', ...before] = command ?? [];
  const args = ['server', '--url', url, '--scenario', name, '--spec-version', revision, '-o', out];
  await programEnd(
    spawn(program, [...before, ...args], {
      env: { PATH: process.env.PATH ?? '', HOME: home, TMPDIR: home },
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  );
  const [file = ''] = readdirSync(out, { recursive: true }).filter((path) => String(path).endsWith('checks.json'));
  return JSON.parse(readFileSync(join(out, String(file)), 'utf8'));
}

if (place !== 'outside') {
  const live = testIf(
    test,
    place === 'inside',
    'mcp conformance: needs @modelcontextprotocol/conformance where FLAME_TEST_CLIS says, and a network namespace',
  );

  for (const [revision, name] of scenarios) {
    live(`CLI-1 the protocol's scenario ${name}, as revision ${revision} has it`, async () => {
      const repo = makeExecProject();
      const start = (): ChildProcess =>
        spawn(process.execPath, [join(programFolder, 'git-flame'), 'mcp'], {
          cwd: repo.path,
          env: repo.env,
          stdio: ['pipe', 'pipe', 'ignore'],
        });
      const door = await showOverHttp(revision >= '2026', start);
      try {
        const checks = await checksOf(door.url, revision, name);
        const ours = checks.filter(({ id }) => !notOurs.some((one) => one.test(id)));
        const failed = ours.filter(({ status }) => status === 'FAILURE');
        assert.equal(
          failed.map(({ id, errorMessage }) => `${id}: ${errorMessage}`),
          [],
        );
        assert.ok(ours.some(({ status }) => status === 'SUCCESS'));
      } finally {
        await door.close();
      }
    });
  }
}

test.run();
