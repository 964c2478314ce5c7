import { leaveHint } from '../../cell/run/hints.ts';
import { type Hint, hintRefusals, longestHint } from '../../domain/agent-talk.ts';
import { agentNotRunning } from '../../domain/bad-input.ts';
import { FlameError } from '../../domain/flame-error.ts';

/** Leaves a hint for a living agent and returns its id. Throws FlameErrors that say why it was not left. */
export function leaveForAgent(commonDir: string, agent: string, hint: Pick<Hint, 'by' | 'text'>): string {
  const left = leaveHint(commonDir, agent, hint);
  if (left.kind === 'left') return left.id;
  if (left.why === 'no-agent') throw agentNotRunning(agent, { isKept: true });
  if (left.why === 'too-long')
    throw new FlameError({
      kind: 'usage',
      code: 'hint-too-long',
      message: `A hint has at most ${longestHint} characters, and this one has ${hint.text.length}.`,
      hints: ['Put the rest in the task: git flame task edit'],
    });
  throw new FlameError({
    kind: 'refused',
    code: 'no-hint-taken',
    message: `${agent} can't be told anything: ${hintRefusals[left.why]}.`,
    hints: [`git flame agent stop ${agent}`, 'git flame task edit'],
  });
}
