import type { OutputStream } from '../../domain/view-models/command.ts';

/** How text looks on one stream. Colour functions return the text as it is where there is no colour. */
export interface Style {
  /** Columns to wrap at, as wide as the terminal is at this moment; Infinity where lines are not wrapped. */
  readonly width: number;
  readonly hasColor: boolean;
  bold(text: string): string;
  dim(text: string): string;
  red(text: string): string;
  green(text: string): string;
  yellow(text: string): string;
  cyan(text: string): string;
}

type Env = Readonly<Record<string, string | undefined>>;

interface StyleOptions {
  /** --color or --no-color. */
  readonly color: boolean | null;
  readonly plain: boolean;
  /** The person's colour setting in git: always, never, or (null or absent) what the stream allows. */
  readonly gitColor?: boolean | null;
}

/** The style for a stream; the first of these decides on colour: option, NO_COLOR, FORCE_COLOR, git, terminal. */
export function createStyle(stream: OutputStream, env: Env, options: StyleOptions): Style {
  const hasColor = decideColor(stream, env, options);
  const paint =
    (open: number, close: number) =>
    (text: string): string =>
      hasColor && text !== '' ? `\u001b[${open}m${text}\u001b[${close}m` : text;
  return {
    get width() {
      return options.plain ? Number.POSITIVE_INFINITY : outputWidth(stream, env);
    },
    hasColor,
    bold: paint(1, 22),
    dim: paint(2, 22),
    red: paint(31, 39),
    green: paint(32, 39),
    yellow: paint(33, 39),
    cyan: paint(36, 39),
  };
}

/** Columns of a stream, at least 20. What isn't a terminal is wrapped only at a given COLUMNS. */
export function outputWidth(stream: OutputStream, env: Env): number {
  const given = Number(env.COLUMNS);
  const columns = stream.columns ?? (Number.isInteger(given) && given > 0 ? given : undefined);
  if (columns !== undefined && columns > 0) return Math.max(20, columns);
  return stream.isTTY === true ? 80 : Number.POSITIVE_INFINITY;
}

function decideColor(stream: OutputStream, env: Env, options: StyleOptions): boolean {
  if (options.color !== null) return options.color;
  if (options.plain) return false;
  if (env.NO_COLOR !== undefined && env.NO_COLOR !== '') return false;
  if (env.FORCE_COLOR !== undefined && env.FORCE_COLOR !== '') {
    return env.FORCE_COLOR !== '0' && env.FORCE_COLOR !== 'false';
  }
  if (options.gitColor !== undefined && options.gitColor !== null) return options.gitColor;
  // Behind `git -p flame` stdout is git's pager, which shows colour.
  const isPaged = env.GIT_PAGER_IN_USE === 'true';
  return (stream.isTTY === true || isPaged) && env.TERM !== 'dumb';
}
