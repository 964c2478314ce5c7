import type { CallDecision } from '../../domain/agent-policy.ts';
import type { AgentCalls, BlockedCall } from '../../domain/view-models/task-story.ts';
import { wrapText } from '../../util/format-width.ts';
import { toPrintableLine, toPrintableText } from '../text/printable-text.ts';
import type { Style } from '../text/style.ts';

const mostCalls = 10;

/** Renders agents' calls: how many passed, and each that was blocked, with the rule. */
export function renderCalls(calls: readonly AgentCalls[], style: Style): readonly string[] {
  return calls.flatMap(({ agent, allowed, blocked }) => {
    const refused = blocked.reduce((sum, { count }) => sum + count, 0);
    const hidden = blocked.length - mostCalls;
    return [
      ...wrapText(`${toPrintableLine(agent)}: ${allowed} allowed, ${refused} blocked`, style.width, '  '),
      ...blocked.slice(0, mostCalls).flatMap((call) => renderBlockedCall(call, style)),
      ...(hidden > 0 ? [style.dim(`    … ${hidden} more: git flame show ${toPrintableLine(agent)} --json`)] : []),
    ];
  });
}

/** A call that was refused, and by which rule. */
export function renderBlockedCall(
  { rule, tool, target, details, count }: BlockedCall,
  style: Style,
): readonly string[] {
  const times = count === 1 ? '' : ` (${count} times)`;
  const call = `${toPrintableLine(tool)} ${toPrintableLine(target)}`.trim();
  return [
    ...wrapText(`blocked: ${call}${times}`, style.width, '    ').map(style.red),
    ...wrapText(`${toPrintableLine(rule)}: ${toPrintableLine(details)}`, style.width, '      ').map(style.dim),
  ];
}

/** Renders the rules' verdict on one call, and where the rule is written. */
export function renderPolicyDecision(
  { decision, rule, details, source }: CallDecision & { readonly source?: string },
  style: Style,
): string {
  if (decision === 'allow') return style.green('allowed');
  return [
    `${style.red('blocked')} by ${rule}${source === undefined ? '' : `, ${source}`}`,
    ...wrapText(toPrintableText(details), style.width, '  '),
  ].join('\n');
}
