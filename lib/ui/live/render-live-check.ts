import { cutText, padText } from '../../util/format-width.ts';
import { visibleLine } from '../text/visible-text.ts';
import type { LiveState } from './live-state.ts';
import { elapsed } from './render-live-agent.ts';

const mostChecks = 4;

/** The diagnostics that run now: on whose work, for how long, and the command. */
export function renderChecks(
  { checks }: LiveState,
  { width, now }: { readonly width: number; readonly now: number },
): readonly string[] {
  const rest = checks.length - mostChecks;
  return [
    ...checks
      .slice(0, mostChecks)
      .map((check) =>
        cutText(
          `  check  ${visibleLine(check.about)}  ${padText(elapsed(check, now), 7)}  ${visibleLine(check.command)}`,
          width,
        ),
      ),
    ...(rest > 0 ? [cutText(`  … ${rest} more checks`, width)] : []),
  ];
}
