import type { PlannedCircle } from '../../domain/ports/gates.ts';
import { visibleLine } from '../text/visible-text.ts';

/** Describes groups that can't be decided one by one, a sentence for each circle. */
export function renderCircles(circles: readonly PlannedCircle[]): readonly string[] {
  return circles.map(({ kind, groups }) => {
    const names = groups.map(visibleLine);
    return kind === 'together'
      ? `The groups ${names.join(', ')} depend on each other: they are one changeset, ${names.join('+')}.`
      : `Other groups come in between: ${names[0] ?? ''} is decided in parts, ${names.join(', ')}.`;
  });
}
