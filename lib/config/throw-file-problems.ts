import { FlameError, type FlameErrorInit } from '../domain/flame-error.ts';
import { textWidth } from '../util/format-width.ts';
import { pictureJoiner } from '../util/joiners.ts';
import type { FileProblem, YamlSource } from './yaml-source.ts';

const maxShown = 50;
const maxLineWidth = 100;

/** Makes the error, of which this module knows neither code nor hints. */
type Refusal = (message: string, init: Pick<FlameErrorInit, 'details' | 'data'>) => FlameError;

/** Throws all mistakes of a file as one FlameError; returns if there are none. */
export function throwFileProblems(source: YamlSource, problems: readonly FileProblem[], refuse: Refusal): void {
  if (problems.length === 0) return;
  const sorted = [...problems].sort((a, b) => a.start - b.start);
  const shown = sorted.slice(0, maxShown);
  const left = sorted.length - shown.length;
  throw refuse(`${source.fileName} has ${sorted.length === 1 ? 'a mistake' : `${sorted.length} mistakes`}.`, {
    details: [
      ...shown.flatMap((problem) => renderProblem(source, problem)),
      ...(left > 0 ? [`… and ${left} more`] : []),
    ],
    data: { file: source.fileName, problems: shown.map((problem) => problemData(source, problem)) },
  });
}

/**
 * A mistake in lines: where and what, the line it stands on, an underline, a hint.
 * Nothing in them is a control character.
 */
function renderProblem(source: YamlSource, problem: FileProblem): readonly string[] {
  const { line, column, text, before } = positionOf(source.text, problem.start);
  const marked = showHidden(text.slice(before.length, before.length + problem.end - problem.start));
  const [shown, indent] = cutAround(showHidden(text), showHidden(before), marked);
  const underline = '^'.repeat(Math.max(1, Math.min(textWidth(marked), textWidth(shown) - indent)));
  return [
    showHidden(`${source.fileName}:${line}:${column}  ${problem.path} ${problem.message}`),
    ...(text.trim() === '' ? [] : [`  ${shown}`, `  ${' '.repeat(indent)}${underline}`]),
    ...(problem.hint === null ? [] : [`  hint: ${showHidden(problem.hint)}`]),
  ];
}

function problemData(source: YamlSource, problem: FileProblem): Readonly<Record<string, unknown>> {
  const { line, column } = positionOf(source.text, problem.start);
  return { path: problem.path, line, column, message: problem.message, hint: problem.hint };
}

interface Position {
  /** Both count from 1; columns are characters. */
  readonly line: number;
  readonly column: number;
  readonly text: string;
  readonly before: string;
}

function positionOf(text: string, offset: number): Position {
  const start = text.lastIndexOf('\n', offset - 1) + 1;
  const end = text.indexOf('\n', start);
  const before = text.slice(start, offset);
  return {
    line: text.slice(0, start).split('\n').length,
    column: [...before].length + 1,
    text: text.slice(start, end === -1 ? undefined : end).replace(/\r$/, ''),
    before,
  };
}

/** A long line's part around the mark, and the columns in front of the mark. */
function cutAround(text: string, before: string, marked: string): readonly [string, number] {
  if (textWidth(text) <= maxLineWidth) return [text.trimEnd(), textWidth(before)];
  const characters = [...text];
  const at = [...before].length;
  const from = Math.max(0, Math.min(at - 20, at + [...marked].length - maxLineWidth + 20));
  const shown = characters.slice(from, from + maxLineWidth).join('');
  const start = from > 0 ? '…' : '';
  const end = from + maxLineWidth < characters.length ? '…' : '';
  return [start + shown + end, textWidth(start + characters.slice(from, at).join(''))];
}

/** Characters a terminal acts on or doesn't show become visible ones of one column. */
function showHidden(text: string): string {
  return text
    .replace(/\t/g, ' ')
    .replace(/[\u0000-\u001f]/g, (control) => String.fromCodePoint(0x2400 + control.charCodeAt(0)))
    .replace(pictureJoiner, '')
    .replace(/(?!\ufe0e|\ufe0f)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, '\ufffd');
}

/** A FlameError `bad-config`; `details` names the mistakes. */
export function badConfigError(message: string, init: Pick<FlameErrorInit, 'details' | 'data' | 'hints'>): FlameError {
  return new FlameError({ ...init, kind: 'environment', code: 'bad-config', message });
}
