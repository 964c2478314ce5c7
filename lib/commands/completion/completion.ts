import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CommandArgs, Io } from '../../domain/view-models/command.ts';
import { createOutput } from '../../ui/terminal/output.ts';
import { packageRoot } from '../../util/user-folders.ts';

/** `git flame completion bash|zsh|fish`: prints the script that makes a shell complete git flame. */
export async function run(args: CommandArgs<'completion'>, io: Io): Promise<number> {
  const shell = args.subcommand ?? '';
  const script = await readFile(join(packageRoot(), 'templates', `completion.${shell}`), 'utf8');
  const output = createOutput(io, args.globals);
  output.json({ shell, script });
  output.result(script);
  return 0;
}
