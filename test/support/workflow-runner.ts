import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { packageRoot } from '../../lib/util/user-folders.ts';
import { programEnd, programFolder } from './program.ts';
import { makeTempDir, type TestRepo } from './repo.ts';

const stepSchema = z.object({
  uses: z.string().optional(),
  run: z.string().optional(),
  with: z.record(z.string(), z.unknown()).optional(),
  env: z.record(z.string(), z.string()).optional(),
});
const workflowSchema = z.object({ jobs: z.object({ worker: z.object({ steps: z.array(stepSchema) }) }) });

/**
 * Does what a hosted runner does with templates/machines-workflow.yml: a fresh clone, a home of its own, and nothing in
 * the environment but a key. What installs programs is a stand-in. Resolves to the exit code of the first step that
 * failed, or 0, and what all said.
 */
export async function runWorkflow(
  remote: TestRepo,
  plan: string,
): Promise<{ readonly code: number; readonly said: string }> {
  const file = readFileSync(join(packageRoot(), 'templates/machines-workflow.yml'), 'utf8');
  const { steps } = workflowSchema.parse(parse(file)).jobs.worker;
  const folder = makeTempDir('flame-runner');
  for (const name of ['sudo', 'npm']) writeFileSync(join(folder, name), '#!/bin/sh\nexit 0\n', { mode: 0o755 });
  const cwd = join(folder, 'work');
  const expressions: Readonly<Record<string, string>> = {
    'matrix.machine': '1',
    'inputs.plan': plan,
    'github.run_id': '7',
    'secrets.ANTHROPIC_API_KEY': 'made-up',
    // What nobody set is empty there.
    'secrets.FLAME_MACHINE_KEY': '',
  };
  const filled = (text: string): string =>
    text.replace(/\$\{\{ ([\w.]+) \}\}/g, (_, name: string) => {
      const value = expressions[name];
      if (value === undefined) throw new Error(`the workflow asks for ${name}`);
      return value;
    });
  let said = '';
  for (const { uses, run, with: words, env = {} } of steps) {
    if (uses?.startsWith('actions/checkout@') === true) {
      const depth = words?.['fetch-depth'] === 0 ? [] : ['--depth=1'];
      remote.git('clone', '-q', ...depth, `file://${remote.path}`, cwd);
    }
    if (run === undefined) continue;
    const given = Object.entries(env).map(([name, value]) => [name, filled(value)]);
    const path = [folder, programFolder, process.env.PATH ?? ''].join(':');
    const child = spawn('bash', ['-e', '-c', filled(run)], {
      cwd,
      env: { PATH: path, HOME: folder, ...Object.fromEntries(given) },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const { code, stdout, stderr } = await programEnd(child);
    said += `$ ${run}\n${stdout}${stderr}`;
    if (code !== 0) return { code, said };
  }
  return { code: 0, said };
}
