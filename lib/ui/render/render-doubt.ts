import type { EvidenceDoubt } from '../../domain/ports/changeset-question.ts';
import { visibleLine } from '../text/visible-text.ts';

/** That a task's evidence is in doubt and why, as one line. */
export function renderDoubt({ task, reasons }: EvidenceDoubt): string {
  return `${task} needs a look by hand, its evidence is not the same each time: ${reasons.map(visibleLine).join('; ')}`;
}
