import type { SessionQuestion } from '../../domain/ports/gates.ts';
import { formatCount } from '../../util/format-figures.ts';

/** Describes the effect of each answer at the end of a cycle. */
export function sessionOutlook(question: SessionQuestion): readonly string[] {
  const { cyclesLeft, summary } = question;
  const later = 'stop: everything is kept; git flame run continues later';
  if (cyclesLeft <= 0) return ['No cycle is left (limits.max_wave_cycles).', later];
  const again = summary.requeued + summary.open;
  return [
    `${formatCount(cyclesLeft, 'cycle')} left.`,
    `continue: ${formatCount(again, 'task')} to continue with in the next cycle`,
    ...retryLine(question),
    later,
  ];
}

/** As above, where nothing is open any more. */
export function leftOverOutlook(question: SessionQuestion): readonly string[] {
  return [
    'Nothing is left to continue with.',
    ...retryLine(question),
    'stop: the session ends; git flame task release TASK opens it again',
  ];
}

function retryLine({ summary }: SessionQuestion): readonly string[] {
  const what = `${formatCount(summary.failed, 'task')} that failed`;
  return [
    ...(summary.failed > 0 ? [`retry: the next cycle, in which ${what} will be tried again`] : []),
    're-plan: you tell a planner what should be different',
  ];
}
