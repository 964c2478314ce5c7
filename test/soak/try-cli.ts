import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { hookedNames } from '../support/cli-hands.ts';
import { parseCliName, parseTrial, trialCommand, tryCli } from '../support/cli-trial.ts';
import { enterNetworkNamespace } from '../support/model-namespace.ts';

// One agent CLI on any repository, with a model whose turns a person has written. By hand:
//   FLAME_TEST_CLIS=… node build/test/soak/try-cli.js codex script.json [REPOSITORY]
// The repository is cloned, the CLI reaches nothing but the scripted model, and a report comes out as JSON. A script:
//   {"task": {"description": "Write notes/a.txt.", "file_locks": ["notes/a.txt"]},
//    "turns": [{"write": ["notes/a.txt", "a"]}, {"run": "curl http://x/"},
//              {"run": "git add notes/a.txt && git commit -qm 'docs: a'"}, {"say": "It is there."}]}
// test/support/cli-trial.ts has all that a script can say.

function fail(message: string): void {
  process.stderr.write(`${message}\n`);
  process.exitCode = 1;
}

async function tryByHand([name = '', script = '', repository]: readonly string[]): Promise<void> {
  const cli = parseCliName(name);
  if (cli === null || script === '') return fail(`usage: try-cli.js ${hookedNames.join('|')} SCRIPT.json [REPOSITORY]`);
  if (trialCommand(cli) === null) return fail(`${cli} is not where FLAME_TEST_CLIS says.`);
  const trial = parseTrial(readFileSync(script, 'utf8'));
  const place = enterNetworkNamespace();
  if (place === 'none') return fail('No network namespace can be made here.');
  if (place === 'outside') return;
  const report = await tryCli(cli, trial, repository === undefined ? null : resolve(repository));
  process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
}

await tryByHand(process.argv.slice(2)).catch((error: unknown) =>
  fail(error instanceof Error ? error.message : String(error)),
);
