import * as z from 'zod';

/** Questions that may be asked in the person's own chat. */
const chatQuestions = ['plan'] as const;

/** How far a lead agent may go; what is not here it can never do: approve a plan, land, raise a budget. */
export const queenSchema = z
  .strictObject({
    ask_in_chat: z
      .array(z.enum(chatQuestions))
      .default([])
      .describe(
        'plan: a yes in the form of a chat counts as your approval of the plan it showed. []: you approve with git flame plan.',
      ),
    may_drop: z
      .boolean()
      .default(false)
      .describe('Whether it may drop tasks of an approved plan at once, and not only propose that.'),
    max_tasks: z.int().min(1).max(1_000).default(100).describe('How many open tasks it may have at most.'),
    max_rejects: z
      .int()
      .min(0)
      .max(20)
      .default(2)
      .describe('How often it may send one task back; then you decide.'),
    on_exit: z
      .enum(['waves', 'stop'])
      .default('waves')
      .describe(
        'When it ends before the work does. waves: the session goes on without it. stop: the session stops.',
      ),
    review: z
      .boolean()
      .default(false)
      .describe(
        'Without a lead agent: before another cycle, a planner looks at what came out and may propose another plan.',
      ),
  })
  .describe('A model that leads: git flame mcp and git flame run --queen.');
