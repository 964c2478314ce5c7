import { mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { stringify } from 'yaml';
import type { DialectName } from '../../lib/domain/config/known-clis.ts';
import { packageRoot } from '../../lib/util/user-folders.ts';
import { beginFlame, type FlameCommand } from './claude-project.ts';
import { copilotFiles, findCli } from './clis.ts';
import { makeRepo, type TestRepo } from './repo.ts';
import { type ScriptedModel, startScriptedModel, type Turn } from './scripted-model.ts';
import { trusted } from './trusted.ts';

export const realKey = 'sk-real-and-outside-0123456789';

/** A repository whose agents are other CLIs than claude, which all ask one scripted model. */
export interface CliProject {
  readonly repo: TestRepo;
  readonly root: string;
  readonly model: ScriptedModel;
  flame(...argv: string[]): Promise<FlameCommand>;
}

export async function openCliProject(
  config: Readonly<Record<string, unknown>>,
  script: Parameters<typeof startScriptedModel>[1],
  dialects: readonly DialectName[] = ['responses'],
): Promise<CliProject> {
  const model = await startScriptedModel(dialects, script);
  const repo = makeRepo();
  const root = dirname(repo.path);
  const [home, tmp] = [join(root, 'home'), join(root, 'tmp')];
  for (const folder of [home, tmp]) mkdirSync(folder);
  writeFileSync(join(home, '.gitconfig'), '[user]\n\tname = Lea Lead\n\temail = lea@example.com\n');
  const adapters = Object.fromEntries(
    ['codex', 'opencode'].map((name) => [name, { command: findCli(name) ?? [name] }]),
  );
  repo.write(
    '.blueflame.yml',
    stringify({ schema_version: 1, project: { name: 'sample', base_branch: 'main' }, adapters, ...config }),
  );
  repo.commit('configure git-flame');
  const env = {
    PATH: [join(packageRoot(), 'bin'), process.env.PATH ?? '/usr/bin:/bin'].join(delimiter),
    HOME: home,
    TMPDIR: tmp,
    XDG_STATE_HOME: repo.env.XDG_STATE_HOME ?? '',
    ...copilotFiles,
    ...{ OPENAI_API_KEY: realKey, OPENAI_BASE_URL: `${model.url}/v1` },
    ...{ GEMINI_API_KEY: realKey, GOOGLE_GEMINI_BASE_URL: model.url },
    ...{ MOONSHOT_API_KEY: realKey, MOONSHOT_BASE_URL: `${model.url}/v1` },
  };
  trusted({ path: repo.path, env });
  return { repo, root, model, flame: (...argv) => beginFlame(argv, { cwd: repo.path, env }).ended };
}

/** How each CLI's model writes a file and runs a command. */
export const toolsOf: Readonly<
  Record<
    string,
    {
      write(path: string, line: string): NonNullable<Turn['calls']>[number];
      run(command: string): NonNullable<Turn['calls']>[number];
    }
  >
> = {
  codex: {
    write: (path, line) => ({ name: 'apply_patch', input: addPatch(path, line) }),
    run: (cmd) => ({ name: 'exec_command', input: { cmd } }),
  },
  opencode: {
    write: (path, line) => ({ name: 'apply_patch', input: { patchText: addPatch(path, line) } }),
    run: (command) => ({ name: 'bash', input: { command, description: 'run' } }),
  },
};

function addPatch(path: string, line: string): string {
  return `*** Begin Patch\n*** Add File: ${path}\n+${line}\n*** End Patch`;
}
