import {
  type DoctorFinding,
  type FindingArea,
  findingAreas,
  isReadyForWork,
} from '../../domain/view-models/doctor-finding.ts';
import { wrapText } from '../../util/format-width.ts';
import { toPrintableLine } from '../text/printable-text.ts';
import type { Style } from '../text/style.ts';

const titles: Readonly<Record<FindingArea, string>> = {
  watcher: 'Phase 1, the watcher: every tool call is checked',
  sandbox: 'Phase 2, the sandbox: the system confines what agents run',
  'post-check': 'Phase 3, the post-check: every branch is checked',
  programs: 'Programs',
  state: 'State',
  leftovers: 'Leftovers',
};

/** Renders findings, area by area, and whether work can start here. */
export function renderFindings(findings: readonly DoctorFinding[], style: Style): string {
  const areas = findingAreas.flatMap((area) => {
    const own = findings.filter((one) => one.area === area);
    return own.length === 0 ? [] : [style.bold(titles[area]), ...own.flatMap((one) => renderFinding(one, style)), ''];
  });
  return [...areas, renderSum(findings, style)].join('\n');
}

/** Renders repairs, and those that failed. */
export function renderRepairs(
  repairs: readonly {
    readonly isDone: boolean;
    readonly message: string;
    readonly hints: readonly string[];
  }[],
  style: Style,
): string {
  const rows = repairs.flatMap(({ isDone, message, hints }) => {
    const mark = (isDone ? style.green : style.yellow)(isDone ? 'fixed ' : 'left  ');
    return renderEntry(`${mark} `, { message, details: [], hints }, style);
  });
  return [style.bold('Repair'), ...(rows.length === 0 ? ['  Nothing to fix.'] : rows), ''].join('\n');
}

function renderFinding({ result, details, hints, isRequired, ...finding }: DoctorFinding, style: Style): string[] {
  const paint = { proven: style.green, weaker: style.yellow, missing: isRequired ? style.red : style.yellow };
  const shown = { ...finding, details, hints: result === 'proven' ? [] : hints };
  return renderEntry(paint[result](result.padEnd(7)), shown, style);
}

/** A mark of seven columns, beside it the message, and below that the rest. */
function renderEntry(
  mark: string,
  { message, details, hints }: Pick<DoctorFinding, 'message' | 'details' | 'hints'>,
  style: Style,
): string[] {
  const [first = '', ...rest] = wrapText(toPrintableLine(message), style.width - 11);
  return [
    `  ${mark}  ${first}`,
    ...[...rest, ...details.map(toPrintableLine)].map((line) => `           ${line}`),
    ...hints.map((hint) => `           ${style.dim('next:')} ${toPrintableLine(hint)}`),
  ];
}

function renderSum(findings: readonly DoctorFinding[], style: Style): string {
  if (!isReadyForWork(findings)) return style.red('Something that agents need is missing.');
  const isWhole = findings.every(({ result }) => result === 'proven');
  return isWhole ? style.green('All checks passed.') : 'Work can start here.';
}
