import * as z from 'zod';
import { roleSchema } from '../agent-policy.ts';
import { lineSchema, textSchema } from '../text-schemas.ts';
import { changesetSchema, groupPullRequestSchema } from './changeset.ts';
import { objectIdSchema, sessionIdSchema } from './id-schemas.ts';
import { claimNumberSchema } from './machine-schemas.ts';
import { plannedTaskSchema } from './plan-schema.ts';

/** Cost and end of one agent run; kept in the session's note, latest runs last. */
export const agentRunSchema = z.object({
  id: z.string(),
  role: roleSchema,
  task_id: z.string().nullable(),
  model: z.string().nullable(),
  started_at: z.string(),
  ended_at: z.string(),
  outcome: z.string(),
  cost_usd: z.number(),
  tokens: z.number(),
});
export type AgentRunRecord = z.infer<typeof agentRunSchema>;

/** A model API that said to wait. */
const servicePauseSchema = z.object({ adapter: z.string(), until: z.string(), why: z.string() });
export type ServicePause = Readonly<z.infer<typeof servicePauseSchema>>;

/** The most an agent on a machine may spend, set aside before it starts; in one of the two units. */
const reservationSchema = z.object({
  agent: z.string(),
  machine: z.string(),
  cost_usd: z.number().min(0),
  tokens: z.int().min(0),
  /** Its machine was given up, and may have spent all of it: it counts as spent until that clone says how much it was. */
  presumed: z.literal(true).optional(),
});
export type BudgetReservation = Readonly<z.infer<typeof reservationSchema>>;

const spendSchema = z.object({ runs: z.int(), cost_usd: z.number(), tokens: z.number() });

/** Estimate of a role's agents: how many if all goes well and at worst, and USD for one. */
const roleEstimateSchema = z.object({
  runs: z.int().min(0),
  runs_with_retries: z.int().min(0),
  agent_usd: z.number(),
});
export type RoleEstimate = Readonly<z.infer<typeof roleEstimateSchema>>;

/** Characters an objective may have. */
export const longestObjective = 50_000;

/**
 * A session as its note on refs/blueflame/sessions stores it. Its wave is how far it has come, its state whether it
 * continues:
 *
 *     ┌──────────── re-plan ◀─────────── gate: another cycle? ◀── work is left ──┐
 *     ▼                                            │ continue                    │
 *   plan ── gate ──▶ work ──▶ validate ──▶ merge ──┼──▶ review ── gate ──▶ land ─┤
 *     │               ▲                            │                             │ nothing is left
 *     │               └────────────────────────────┘                             ▼
 *     └── quit, or nothing planned ───────────────────────────────────────────▶ done ■
 *
 *   active ── a person stops it ──▶ stopped ── resume, or any wave ──▶ active
 *   active ── done ──▶ ended ── a task of it is added or taken up again ──▶ active
 *
 * Which wave is next is never stored: core's chooseNextAction finds it from the tasks.
 */
export const sessionSchema = z.object({
  v: z.literal(1),
  rev: z.int().min(1),
  id: sessionIdSchema,
  objective: textSchema(longestObjective),
  /** The person's title for it; without one, the first line of its objective. */
  title: lineSchema(200).optional(),
  /** Short branch name. */
  base_branch: z.string(),
  /** Where the base branch was when the session last built on it. */
  base_commit: objectIdSchema,
  config_digest: z.string(),
  /** 0 until the first plan is approved. */
  cycle: z.int().min(0),
  wave: z.enum(['plan', 'work', 'validate', 'merge', 'review', 'done']),
  state: z.enum(['active', 'stopped', 'ended']),
  replans: z.int().min(0),
  /** A plan that waits for its gate, so that it is not paid for twice. */
  proposal: z.array(plannedTaskSchema).nullable(),
  /** The person's notes for the next plan. */
  replan_notes: z.string().nullable(),
  /** All that was said of plans that were sent back, oldest first, and the one sent back last. */
  sent_back: z.object({ notes: z.array(z.string()), plan: z.array(plannedTaskSchema).nullable() }).optional(),
  created_by: z.string(),
  created_at: z.string(),
  updated_at: z.string(),
  estimate: z
    .object({
      base_usd: z.number(),
      with_retries_usd: z.number(),
      roles: z.partialRecord(roleSchema, roleEstimateSchema).optional(),
    })
    .nullable(),
  cost_usd: z.number(),
  tokens: z.number(),
  /** Spend per role, retries included. */
  spend: z.record(z.string(), spendSchema),
  /** Limit raised by a person at the budget gate, in the unit of the configured limit. */
  raised_limit: z.number().nullable(),
  agents: z.array(agentRunSchema),
  changesets: z.array(changesetSchema),
  gates: z.array(
    z.object({
      gate: z.string(),
      decision: z.string(),
      by: z.string(),
      at: z.string(),
      /** The place it was decided at, where that is known. */
      where: z.string().optional(),
    }),
  ),
  /**
   * Where approved work lands instead of the base branch, from the first such landing on (`project.landing: branch`):
   * the branch, the commit of the base it began at, and the address of its pull request once there is one. Of that:
   * what was taken up of what others said there, by id, and in how many rounds; left out before the first.
   */
  landing: z
    .object({
      branch: z.string(),
      from: objectIdSchema,
      pull_request: z.string().nullable(),
      heard: z.array(z.string().max(300)).optional(),
      rounds: z.int().min(0).optional(),
      /** With `pull_requests.per: changeset`, one for each group, those that others stand on before them. */
      requests: z.array(groupPullRequestSchema).optional(),
    })
    .optional(),
  /** A checked-out base that must still be updated: landing moved the branch from → to. */
  checkout: z
    .object({
      from: objectIdSchema,
      to: objectIdSchema,
      /** The clone it is to happen in, see cloneName. */
      place: z.string(),
    })
    .nullable(),
  /**
   * Set once the session is on refs/blueflame/archive/*: from then on this note only marks that, and holds no
   * lists.
   */
  archived_at: z.string().optional(),
  /**
   * How machines share it, see REFS.md: the lead, by its clone's name, the remote as that clone names it, and the term;
   * times in milliseconds.
   */
  machines: z
    .object({
      lead: z.string(),
      remote: z.string(),
      term: claimNumberSchema,
      lease_ms: z.int().min(1),
      renew_ms: z.int().min(1),
      /** Machines whose verdicts the lead accepts; a copy: its person's own decision counts. */
      validators: z.array(z.string()).optional(),
    })
    .optional(),
  /** Reserved spending that isn't booked yet, where several machines spend of one budget. */
  reservations: z.array(reservationSchema).optional(),
  /** Spending by machine name, where several share the session. */
  spent_on: z.record(z.string(), z.object({ cost_usd: z.number(), tokens: z.number() })).optional(),
  /** Adapters that nothing is asked of before a time. */
  pauses: z.array(servicePauseSchema),
});
export type Session = Readonly<z.infer<typeof sessionSchema>>;
