/** A version of a task's note, as stock git shows it. */
export interface TaskStep {
  readonly status: string;
  readonly agent_id: string | null;
  readonly claimed_host: string | null;
  readonly claim?: number;
  readonly commit: string | null;
  /** The commit of the notes that has it. */
  readonly at: string;
}

/** A version of a session's note. */
export interface SessionStep {
  readonly machines?: { readonly lead: string; readonly term: number };
  readonly changesets: readonly { readonly landed_commit: string | null }[];
  /** Who landed last. */
  readonly checkout?: { readonly place?: string; readonly to: string } | null;
  readonly at: string;
}

export interface JudgedTask {
  readonly problems: readonly string[];
  readonly claims: number;
  /** The machine of each result. */
  readonly doneBy: readonly string[];
}

/** What a task went through, from its plan on: one holder a claim, claims one by one, landed once. */
export function judgeTask(id: string, steps: readonly TaskStep[]): JudgedTask {
  const problems: string[] = [];
  const doneBy: string[] = [];
  let [claims, landed] = [0, 0];
  for (const [index, step] of steps.entries()) {
    const before = steps[index - 1];
    problems.push(...judgeStep(before, step).map((what) => `${id} at ${step.at.slice(0, 10)}: ${what}`));
    if (isClaimed(before, step)) claims += 1;
    if (step.status === 'done' && before?.status === 'claimed') doneBy.push(step.claimed_host ?? '');
    if (step.status === 'merged' && before?.status !== 'merged') landed += 1;
  }
  const last = steps.at(-1);
  if (landed > 1) problems.push(`${id}: landed ${landed} times`);
  if (last?.status !== 'merged') problems.push(`${id}: ended as ${last?.status ?? 'nothing'}`);
  return { problems, claims, doneBy };
}

function isClaimed(before: TaskStep | undefined, { status }: TaskStep): boolean {
  return before !== undefined && before.status !== 'claimed' && status === 'claimed';
}

function judgeStep(before: TaskStep | undefined, step: TaskStep): readonly string[] {
  const [was, is] = [before?.claim ?? 0, step.claim ?? 0];
  const isNew = isClaimed(before, step);
  const holds = before?.status === 'claimed';
  const rules: readonly (readonly [boolean, string])[] = [
    [is < was, `its claims went from ${was} back to ${is}`],
    [isNew && is !== was + 1, `claim ${is} follows claim ${was}`],
    [!isNew && is > was, `claim ${is} came without being claimed (${before?.status} -> ${step.status})`],
    [
      holds && step.status === 'claimed' && before.agent_id !== step.agent_id,
      `${step.agent_id} holds the claim of ${before?.agent_id}`,
    ],
    [
      holds && step.status === 'done' && before.agent_id !== step.agent_id,
      `${step.agent_id} finished what ${before?.agent_id} held`,
    ],
    [
      step.status === 'done' && before !== undefined && !['claimed', 'done'].includes(before.status),
      `done after ${before?.status}`,
    ],
    [
      step.status === 'merged' &&
        before?.status !== 'merged' &&
        (before?.status !== 'done' || before.commit !== step.commit),
      'what landed was not what was accepted',
    ],
  ];
  return rules.flatMap(([isBroken, what]) => (isBroken ? [what] : []));
}

/** Who led a session: one machine a term, terms one by one, and no landing but by who led then. */
export function judgeLead(steps: readonly SessionStep[]): string[] {
  return steps.flatMap((step, index) => {
    const before = steps[index - 1];
    const [was, is] = [before?.machines, step.machines];
    const [old, next] = [was?.term ?? 0, is?.term ?? 0];
    const isOther = was?.lead !== is?.lead;
    const landed = step.changesets.filter(({ landed_commit }) => landed_commit !== null).length;
    const hadLanded = before?.changesets.filter(({ landed_commit }) => landed_commit !== null).length ?? 0;
    const by = step.checkout?.place ?? null;
    const rules: readonly (readonly [boolean, string])[] = [
      [next < old, `its terms went from ${old} back to ${next}`],
      [isOther && next !== old + 1, `term ${next} of ${is?.lead} follows term ${old} of ${was?.lead}`],
      [!isOther && next > old, `term ${next} began with who led before`],
      [
        landed > hadLanded && by !== null && is !== undefined && by !== is.lead,
        `${by} landed in the term of ${is?.lead}`,
      ],
    ];
    return rules.flatMap(([isBroken, what]) => (isBroken ? [`session at ${step.at.slice(0, 10)}: ${what}`] : []));
  });
}
