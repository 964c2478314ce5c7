import type { Decision } from '../../domain/policy.ts';
import { wrapText } from '../../util/format-width.ts';
import type { Style } from '../text/style.ts';
import { visibleText } from '../text/visible-text.ts';

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
