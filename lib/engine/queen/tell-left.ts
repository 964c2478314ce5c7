import { tellOnce } from '../tell-once.ts';
import type { Workshop } from '../workshop.ts';

/** Says once, before anything is done, what the configuration leaves to a model that leads beyond the built-in rules. */
export function tellLeft(workshop: Pick<Workshop, 'config' | 'events' | 'run'>): void {
  const { ask_in_chat: asked, may_drop: mayDrop } = workshop.config.queen;
  const left = [
    ...(asked.includes('plan')
      ? ["a yes in a chat's form approves the plan it shows (queen.ask_in_chat)"]
      : []),
    ...(mayDrop ? ['approved tasks may be dropped without a question (queen.may_drop)'] : []),
  ];
  if (left.length > 0)
    tellOnce(workshop, `More than usual is left to the model that leads: ${left.join('; ')}.`);
}
