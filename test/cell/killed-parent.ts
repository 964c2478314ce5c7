// Starts one agent and waits: the test kills this process, or it kills itself so many milliseconds after the start.
import { setTimeout as sleep } from 'node:timers/promises';
import { openCellFixture } from './fixture.ts';

const mark = process.argv[2] ?? '';
const { runner, request } = await openCellFixture();
const prompt = [
  `bash -c 'exec -a ${mark} sleep 300' &`,
  `setsid bash -c 'exec -a ${mark} sleep 300' &`,
  `(setsid nohup bash -c 'exec -a ${mark} sleep 300' >/dev/null 2>&1 &)`,
  `env -i /usr/bin/setsid bash -c 'exec -a ${mark} sleep 300' &`,
  `while [ $(grep -lsa '^${mark}' /proc/*/cmdline | wc -l) -lt 4 ]; do :; done`,
  'echo ready',
  'wait',
].join('\n');
const [, , , afterMs = ''] = process.argv;
await runner.start(request({ prompt }), ({ text }) => process.stdout.write(text));
if (afterMs !== '') {
  await sleep(Number(afterMs));
  process.kill(process.pid, 'SIGKILL');
}
