import { writeFile } from 'node:fs/promises';
import { renderConfigJsonSchema } from '../config/json-schema.ts';
import { renderConfigWithOrigins } from '../config/list-config-values.ts';
import { migrateConfigText } from '../config/migrate-config.ts';
import type { Config } from '../domain/config/config-schema.ts';
import { fillInRoleDefaults } from '../domain/config/role-adapter-and-model.ts';
import { FlameError } from '../domain/flame-error.ts';
import type { CommandArgs, Io } from '../domain/view-models/command.ts';
import { explainRefusedProgram } from '../policy/bash/allowed-words.ts';
import { unreachable } from '../util/unreachable.ts';
import { type ReadContext, withRepositoryState } from './context/open-read-context.ts';
import { readConfig, requireWorkTree } from './context/read-config.ts';

/** `git flame config show|migrate|schema|example`. */
export function run(args: CommandArgs<'config'>, io: Io): Promise<number> {
  const subcommand = (args.subcommand ?? 'show') as 'show' | 'migrate' | 'schema' | 'example';
  // An editor asks for it anywhere.
  if (subcommand === 'schema') {
    io.stdout.write(renderConfigJsonSchema());
    return Promise.resolve(0);
  }
  if (subcommand === 'example') return example(io);
  return withRepositoryState(args, io, async (reading) => {
    switch (subcommand) {
      case 'show':
        return show(reading);
      case 'migrate':
        return migrate(args, reading);
      default:
        return unreachable(subcommand);
    }
  });
}

/** Anywhere, too. Loaded when it is asked for. */
async function example(io: Io): Promise<number> {
  const { renderExampleConfig } = await import('../config/render-example-config.ts');
  io.stdout.write(renderExampleConfig('.git/blueflame.schema.json'));
  return 0;
}

async function show({ git, output, configFile }: ReadContext): Promise<number> {
  const loaded = await readConfig(requireWorkTree(git), configFile, git.repository.workTree);
  for (const warning of loaded.warnings) output.warn(warning);
  for (const warning of uselessEntries(loaded.config)) output.warn(warning);
  // The version of the file is none of the answer's.
  const { schema_version: _, ...shown } = fillInRoleDefaults(loaded.config);
  output.json(shown);
  output.result(renderConfigWithOrigins(loaded.config, loaded.text).join('\n'));
  return 0;
}

/** Entries of allowed_commands that allow nothing, each with the reason. */
function uselessEntries({ permissions }: Config): readonly string[] {
  return permissions.bash_rules.allowed_commands.flatMap((entry) => {
    const why = explainRefusedProgram(entry.trim().split(/\s+/)[0] ?? '');
    return why === null ? [] : [`permissions.bash_rules.allowed_commands: ${entry} has no effect: ${why}`];
  });
}

async function migrate(args: CommandArgs<'config'>, { git, output, configFile }: ReadContext): Promise<number> {
  const { file, text: before } = await readConfig(requireWorkTree(git), configFile);
  if (file === null || before === null) {
    throw new FlameError({
      kind: 'refused',
      code: 'no-config',
      message: 'There is no .blueflame.yml to migrate.',
      hints: ['git flame init'],
    });
  }
  const { text, changed, notes } = migrateConfigText(before);
  output.json({ file, changed, text, notes });
  for (const note of notes) output.info(note);
  if (!changed) output.info(`${file} already has the newest version.`);
  else if (args.options.write && args.globals.dryRun) output.result(`Would rewrite ${file}; its comments are kept.`);
  else if (args.options.write) {
    await writeFile(file, text);
    output.info(`${file} was rewritten; its comments are kept.`);
  } else output.result(text);
  return 0;
}
