import type { Decision } from '../../domain/policy.ts';
import type { AgentCalls, BlockedCall } from '../../domain/view-models/task-story.ts';
import { wrapText } from '../../util/format-width.ts';
import type { Style } from '../text/style.ts';
import { visibleLine, visibleText } from '../text/visible-text.ts';

const mostCalls = 10;

/** Renders agents' calls: how many passed, and each that was blocked, with the rule. */
export function renderCalls(calls: readonly AgentCalls[], style: Style): readonly string[] {
  return calls.flatMap(({ agent, allowed, blocked }) => {
    const refused = blocked.reduce((sum, { count }) => sum + count, 0);
    const hidden = blocked.length - mostCalls;
    return [
      ...wrapText(`${visibleLine(agent)}: ${allowed} allowed, ${refused} blocked`, style.width, '  '),
      ...blocked.slice(0, mostCalls).flatMap((call) => renderBlockedCall(call, style)),
      ...(hidden > 0 ? [style.dim(`    … ${hidden} more: git flame show ${visibleLine(agent)} --json`)] : []),
    ];
  });
}

/** A call that was refused, and by which rule. */
export function renderBlockedCall(
  { rule, tool, target, details, count }: BlockedCall,
  style: Style,
): readonly string[] {
  const times = count === 1 ? '' : ` (${count} times)`;
  const call = `${visibleLine(tool)} ${visibleLine(target)}`.trim();
  return [
    ...wrapText(`blocked: ${call}${times}`, style.width, '    ').map(style.red),
    ...wrapText(`${visibleLine(rule)}: ${visibleLine(details)}`, style.width, '      ').map(style.dim),
  ];
}

/** Renders the rules' verdict on one call, and where the rule is written. */
export function renderChecked(
  { decision, rule, details, source }: Decision & { readonly source?: string },
  style: Style,
): string {
  if (decision === 'allow') return style.green('allowed');
  return [
    `${style.red('blocked')} by ${rule}${source === undefined ? '' : `, ${source}`}`,
    ...wrapText(visibleText(details), style.width, '  '),
  ].join('\n');
}
