import type { QueenScript } from './led-run.ts';
import type { Said } from './mcp-client.ts';

/** What scripted models that lead propose: the second needs the first. */
export const ledTasks: readonly { readonly id: string; readonly [key: string]: unknown }[] = ['one', 'two'].map(
  (id) => ({
    id,
    title: `Do ${id}`,
    description: `echo ${id} > src/new-${id}.txt && git add -A && git commit -qm 'feat: ${id}'`,
    file_locks: [`src/new-${id}.txt`],
    dependencies: id === 'two' ? ['one'] : [],
  }),
);

type Call = Parameters<QueenScript>[0]['call'];

/** Waits until what is known of the tasks is enough. */
export async function untilNews(
  call: Call,
  isEnough: (known: { readonly verdicts: number; readonly text: string }) => boolean,
): Promise<void> {
  const passed = new Set<string>();
  let cursor: string | undefined;
  for (let turn = 0; turn < 100; turn += 1) {
    const said: Said = await call('wait_for_workers', {
      timeout_s: 20,
      ...(cursor === undefined ? {} : { cursor }),
    });
    if (said.isError) throw new Error(said.text);
    cursor = String(said.at('cursor'));
    const news = said.at('news');
    for (const { id, verdict, status } of Array.isArray(news) ? news : []) {
      if (verdict === 'pass' || status === 'merged') passed.add(String(id));
    }
    if (isEnough({ verdicts: passed.size, text: said.text })) return;
    if (said.at('is_working') === false && said.at('news.0') === undefined) break;
  }
  throw new Error('Nothing works any more.');
}

function done(said: Said): Said {
  if (said.isError) throw new Error(said.text);
  return said;
}

/** Proposes, assigns, waits, approves and hands over; goes on from wherever another one left it. */
export const leadsWell: QueenScript = async ({ call }) => {
  const proposed = done(await call('create_tasks', { tasks: ledTasks }));
  if (proposed.at('plan') !== 'approved') return undefined;
  done(await call('assign_task'));
  await untilNews(call, ({ verdicts }) => verdicts === ledTasks.length);
  for (const { id } of ledTasks) done(await call('approve_task', { task_id: id, feedback: 'Good.' }));
  done(await call('complete', { summary: 'Both files are there.' }));
  return undefined;
};

/** The same, with a note for a task that she sends back once. */
export const leadsInRounds: QueenScript = async ({ call }) => {
  const proposed = done(await call('create_tasks', { tasks: ledTasks }));
  if (proposed.at('plan') !== 'approved') return undefined;
  const [, second] = ledTasks;
  const named = { task_id: second?.id };
  done(await call('leave_note', { text: 'Be brief.', task_ids: [second?.id] }));
  for (;;) {
    done(await call('assign_task'));
    await untilNews(call, ({ verdicts }) => verdicts === ledTasks.length);
    if (done(await call('get_task_output', named)).text.includes('rejected')) break;
    done(await call('reject_task', { ...named, feedback: 'Once more.' }));
  }
  for (const { id } of ledTasks) done(await call('approve_task', { task_id: id }));
  done(await call('complete', { summary: 'Both files are there.' }));
  return undefined;
};

/** Proposes and waits, and for the rest does only what the answers say is next: as a model does that was told nothing else. */
export const leadsByHints: QueenScript = async ({ call }) => {
  done(await call('create_tasks', { tasks: ledTasks }));
  for (let turn = 0; turn < 100; turn += 1) {
    const said = await call('wait_for_workers', { timeout_s: 5 });
    const next = String(said.at('next') ?? said.at('error.next.0') ?? '');
    if (next.startsWith('assign_task')) done(await call('assign_task'));
    else if (next.startsWith('get_task_output'))
      for (const { id } of ledTasks) await call('approve_task', { task_id: id });
    else if (next.startsWith('complete')) {
      done(await call('complete', { summary: 'Both files are there.' }));
      return undefined;
    } else if (next !== '') throw new Error(`Nothing to follow: ${said.text}`);
  }
  throw new Error('It never came to an end.');
};
