import { getAdapter } from '../../agents/get-adapter.ts';
import { createPromptRenderer } from '../../agents/prompt-renderer.ts';
import { FlameError } from '../../domain/flame-error.ts';
import type { Prompts } from '../../domain/ports/prompt-port.ts';
import type { Io } from '../../domain/shown/command.ts';
import type { PlannedTask } from '../../domain/state/plan.ts';
import type { Session } from '../../domain/state/session.ts';
import type { Task } from '../../domain/state/task.ts';
import { toTask } from '../../engine/plan/take-plan.ts';
import { viewSession } from '../../engine/record.ts';
import { previewPrompt } from '../../engine/work/worker-prompt.ts';
import { isAllowed, readPermission } from '../../trust/repository/permission.ts';
import { readConfig } from '../open/read-config.ts';
import type { Reading } from '../open/read-state.ts';
import { readAsked } from '../open/repository-trust.ts';

export type PromptPreview =
  | { readonly kind: 'prompt'; readonly prompts: Prompts }
  /** why: a sentence. */
  | { readonly kind: 'missing'; readonly why: string };

/** Renders the prompts that workers get. */
export interface PromptPreviewer {
  ofTask(session: Session, task: Task): Promise<PromptPreview>;
  ofPlanned(session: Session, planned: PlannedTask): Promise<PromptPreview>;
}

/** Reads the configuration at each call. The repository's templates run as code: only as the person allowed them. */
export function openPromptPreviewer(reading: Reading, io: Io): PromptPreviewer {
  const ofTask = async (session: Session, task: Task): Promise<PromptPreview> => {
    try {
      return await preview(reading, io, { session, task });
    } catch (error) {
      if (error instanceof FlameError) return { kind: 'missing', why: error.message };
      throw error;
    }
  };
  return {
    ofTask,
    ofPlanned: async (session, planned) => {
      const tasks = (await reading.store.snapshot()).tasksOf(session.id);
      const gates = { person: session.created_by };
      return ofTask(session, toTask({ gates }, { session, tasks }, planned, session.updated_at));
    },
  };
}

async function preview(
  reading: Reading,
  io: Io,
  { session, task }: { readonly session: Session; readonly task: Task },
): Promise<PromptPreview> {
  const { git, store } = reading;
  const root = git.repository.mainWorkTree;
  if (root === null) return { kind: 'missing', why: 'This is a bare repository: no agent works here.' };
  const loaded = await readConfig(root, reading.configFile);
  const { content, place } = readAsked(loaded, io, { git, root });
  const hasOwn = content.templates.texts.size > 0;
  if (hasOwn && !isAllowed(content, readPermission(place)))
    return {
      kind: 'missing',
      why: 'The repository has prompt templates of its own, which you have not allowed yet: git flame trust.',
    };
  const { config } = content;
  const workshop = {
    config,
    git,
    store,
    prompts: createPromptRenderer({ config, overrides: content.templates }),
    adapter: (name: string) => getAdapter(name, config),
  };
  const view = await viewSession(workshop, session.id);
  return { kind: 'prompt', prompts: await previewPrompt(workshop, view, task) };
}
