import { randomBytes } from 'node:crypto';
import { rename, rm, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { FlameError } from '../../domain/flame-error.ts';
import type { CommandArgs, Io } from '../../domain/shown/command.ts';
import type { Stats } from '../../domain/shown/stats.ts';
import type { Style } from '../../ui/text/style.ts';
import { toJsonLine } from '../../ui/text/visible-text.ts';
import { withState } from '../open/read-state.ts';
import { collectStats } from './collect-stats.ts';

const formats = ['text', 'json', 'prometheus', 'html'] as const;
type Format = (typeof formats)[number];

/** `git flame stats`: figures about a session or all of them, in a form for people, programs, Prometheus or a browser. */
export function run(args: CommandArgs<'stats'>, io: Io): Promise<number> {
  const format = formatOf(args);
  return withState(args, io, async (reading) => {
    const { output } = reading;
    const stats = await collectStats(reading, args);
    const { output: file } = args.options;
    const text = await render(format, stats, output.style);
    if (file === null) {
      io.stdout.write(text);
      return 0;
    }
    await writeWhole(resolve(io.cwd, file), text);
    output.info(`Written to ${file}.`);
    return 0;
  });
}

function formatOf({ options, globals }: CommandArgs<'stats'>): Format {
  const name = options.format ?? (globals.json ? 'json' : 'text');
  const format = formats.find((known) => known === name);
  if (format !== undefined && (!globals.json || format === 'json')) return format;
  throw new FlameError({
    kind: 'usage',
    code: 'bad-format',
    message:
      format === undefined
        ? `There is no format ${JSON.stringify(name)}; there are ${formats.join(', ')}.`
        : `--json and --format ${format} contradict each other.`,
    hints: ['git flame stats -h'],
  });
}

/** Loads only the renderer in use. */
async function render(format: Format, stats: Stats, style: Style): Promise<string> {
  switch (format) {
    case 'json':
      return `${toJsonLine(stats)}\n`;
    case 'prometheus':
      return (await import('../../ui/stats/render-prometheus.ts')).renderPrometheus(stats);
    case 'html':
      return (await import('../../ui/stats/render-stats-page.ts')).renderStatsPage(stats);
    case 'text':
      return `${(await import('../../ui/stats/render-stats.ts')).renderStats(stats, style)}\n`;
  }
}

/** Writes in one step, so that a collector never reads half of it. Throws FlameError `not-written`. */
async function writeWhole(path: string, text: string): Promise<void> {
  const making = `${path}.${randomBytes(4).toString('hex')}.new`;
  try {
    await writeFile(making, text);
    await rename(making, path);
  } catch (cause) {
    await rm(making, { force: true });
    throw new FlameError({
      kind: 'environment',
      code: 'not-written',
      message: `${path} can't be written: ${cause instanceof Error ? cause.message : String(cause)}`,
      hints: ['git flame stats'],
      cause,
    });
  }
}
