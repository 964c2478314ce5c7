import { reportError } from '../../lib/cli/report-error.ts';
import { runInProcess } from '../../lib/cli/run-in-process.ts';
import { FlameError } from '../../lib/domain/flame-error.ts';

// A program whose only command is what its first argument says; process.test.ts runs it.
void runInProcess(async ([what], io) => {
  if (what === 'flood') {
    for (let line = 0; line < 20_000; line++) io.stdout.write(`line ${line}\n`);
    return 0;
  }
  if (what === 'never') return new Promise<number>(() => undefined);
  if (what === 'where') {
    io.stdout.write(`${io.cwd}\n`);
    return 0;
  }
  const isTicking = what === 'tick';
  const keepAlive = setInterval(() => void (isTicking && io.stdout.write('tick\n')), isTicking ? 20 : 1_000);
  io.stdout.write('ready\n');
  try {
    await new Promise<void>((resolve) => io.signal?.addEventListener('abort', () => resolve()));
    io.stdout.write('stopping\n');
    if (what === 'stubborn') await new Promise<void>((resolve) => io.hurry?.addEventListener('abort', () => resolve()));
    io.signal?.throwIfAborted();
    throw new FlameError({ kind: 'internal', code: 'x', message: 'was not aborted' });
  } catch (error) {
    return reportError(error, [], io);
  } finally {
    clearInterval(keepAlive);
  }
});
