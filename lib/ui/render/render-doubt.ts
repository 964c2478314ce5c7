import type { EvidenceDoubt } from '../../domain/ports/changeset-question.ts';
import { visibleLine } from '../text/visible-text.ts';

/** Renders the doubt about a task's evidence, with its reasons, as one line. */
export function renderDoubt({ task, reasons }: EvidenceDoubt): string {
  return `${task} needs a look by hand, its evidence is not the same each time: ${reasons.map(visibleLine).join('; ')}`;
}
