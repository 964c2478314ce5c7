import type { DiagnosticRun, Evidence, Verdict } from '../../domain/state/verdict.ts';
import { omittedLinesMark, pickFailureLines } from '../../util/error-text.ts';
import { formatCount, formatDuration, formatTime } from '../../util/format-figures.ts';
import { wrapText } from '../../util/format-width.ts';
import { shortId } from '../../util/short-names.ts';
import { dropMailAddresses, toPrintableLine, toPrintableText } from '../text/printable-text.ts';
import { hangText } from '../text/sections.ts';
import type { Style } from '../text/style.ts';

// Of what a failing diagnostic printed.
const mostLines = 12;

/** A verdict with its reasons and evidence, as lines; `remark` stands behind who gave it. */
export function renderVerdict(
  verdict: Verdict,
  style: Style,
  { indent = '', remark = '' }: { readonly indent?: string; readonly remark?: string } = {},
): readonly string[] {
  const status = verdict.status === 'pass' ? style.green('pass') : style.red('fail');
  const deeper = `${indent}  `;
  const { notes, issues } = dropRepeatedOutput(verdict);
  const by = [toPrintableLine(dropMailAddresses(verdict.by)), ...(remark === '' ? [] : [remark])].join(' ');
  const from = verdict.carried_from === undefined ? '' : `, carried over from ${shortId(verdict.carried_from)}`;
  const about = `at ${shortId(verdict.commit)} by ${by}, ${formatTime(verdict.at)}${from}`;
  const [first = '', ...rest] = wrapText(`pass ${about}`, style.width, indent);
  return [
    indent + status + first.slice(indent.length + 'pass'.length),
    ...rest,
    ...(notes === '' ? [] : wrapText(toPrintableText(notes), style.width, deeper)),
    ...issues.flatMap((issue) => renderBullet(issue, style, deeper)),
    ...verdict.diagnostics.flatMap((run) => renderDiagnosticRun(run, style, deeper)),
    ...renderEvidence(verdict.evidence, style, deeper),
  ];
}

/** Drops notes and issues that repeat the output of its diagnostics, which is shown with them. */
export function dropRepeatedOutput({ notes, issues, diagnostics }: Verdict): Pick<Verdict, 'notes' | 'issues'> {
  const before = diagnostics.flatMap(({ command, exit_code: code, output }) => [
    `${command} ended with ${code}:`,
    output,
    omittedLinesMark,
  ]);
  const left = issues.map((issue) => removeRepeatedLines(issue, before)).filter((issue) => issue !== '');
  return { notes: removeRepeatedLines(notes, before), issues: left };
}

/** Renders a verdict's evidence, with the start of its verification hash. */
function renderEvidence(evidence: Evidence | undefined, style: Style, indent: string): readonly string[] {
  if (evidence === undefined) return [];
  const { changed_files: paths, results, seed, verification_hash: hash } = evidence;
  const facts = [
    `evidence: ${formatCount(paths, 'path')}`,
    `${results.passed} of ${formatCount(results.passed + results.failed, 'check')} passed`,
    ...(seed === null ? [] : [`seed ${toPrintableLine(seed)}`]),
    hash.slice(0, 'sha256:'.length + 12),
  ];
  return wrapText(facts.join(' · '), style.width, indent).map(style.dim);
}

/** One diagnostic: green or red, with the end of its output where it failed. */
export function renderDiagnosticRun(run: DiagnosticRun, style: Style, indent: string): readonly string[] {
  const command = toPrintableLine(run.command);
  const took = formatDuration(run.duration_ms);
  if (run.exit_code === 0) {
    return wrapText(`ok: ${command} (${took})`, style.width, indent).map(style.green);
  }
  const how = run.timed_out
    ? 'timed out'
    : run.exit_code === null
      ? 'was killed'
      : `ended with ${run.exit_code}${missing.get(run.exit_code) ?? ''}`;
  const output = run.output.trimEnd();
  const tail = output === '' ? [] : pickFailureLines(toPrintableText(output), mostLines);
  return [
    ...wrapText(`failed: ${command} ${how}${renderFailsOnBase(run)} (${took})`, style.width, indent).map(style.red),
    ...tail.flatMap((line) => wrapText(line, style.width, `${indent}  `)).map(style.dim),
  ];
}

/** A note on a check that also fails without the change. */
export function renderFailsOnBase({ on_base: isRedBelow }: Pick<DiagnosticRun, 'on_base'>): string {
  return isRedBelow === true ? ', as it does on the base without this change' : '';
}

// The words of sh. What a cell shows of PATH is listed by `git flame doctor`.
const missing = new Map([
  [126, ': what it names is not an executable'],
  [127, ': a program it names does not exist in the cell'],
]);

/** A list entry, wrapped below its own text. */
export function renderBullet(text: string, style: Style, indent: string): readonly string[] {
  return hangText(toPrintableText(text), style.width, { first: `${indent}- `, rest: `${indent}  ` });
}

/** A text without the lines that stand in what was said before: the same sentence is read once. '' where all of it was. */
export function removeRepeatedLines(text: string, before: readonly (string | null)[]): string {
  const lines = text.split('\n').filter((line) => {
    const said = line.trim();
    return said !== '' && !before.some((one) => one?.includes(said) === true);
  });
  return lines.join('\n');
}
