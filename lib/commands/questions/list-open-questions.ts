import { readdirSync } from 'node:fs';
import { runFoldersRoot } from '../../cell/run-folder.ts';
import { renderAgentQuestions } from '../../domain/agent-messages.ts';
import type { QuestionData } from '../../domain/questions/question-data.ts';
import { renderQuestionTitle } from '../../domain/questions/question-facts.ts';
import type { Session } from '../../domain/state/session-schema.ts';
import type { AskedQuestion } from '../../domain/view-models/status-view.ts';
import { questionSocketPrefix } from './socket-names.ts';

/** Lists open questions of a session in this machine's runs; those of a suspended run are unknown. */
export async function listOpenQuestions(commonDir: string, session: Session['id']): Promise<readonly AskedQuestion[]> {
  // Loads the client only where something runs.
  if (!hasDoors(commonDir)) return [];
  const { openQuestionClients } = await import('./question-clients.ts');
  const far = openQuestionClients(commonDir);
  try {
    return (await far.ready())
      .flatMap((line) => line.read().open ?? [])
      .filter((gate) => gate.session === session)
      .map(({ id, asked_at, asks }) => ({
        id,
        gate: asks.gate,
        asks: wordsOf(asks),
        asked_at,
        next: 'git flame answer',
      }));
  } finally {
    far.close();
  }
}

function hasDoors(commonDir: string): boolean {
  try {
    return readdirSync(runFoldersRoot(commonDir)).some((name) => name.startsWith(questionSocketPrefix));
  } catch {
    return false;
  }
}

/** An agent's question is what its title can't say. */
function wordsOf(asks: QuestionData): string {
  const title = renderQuestionTitle(asks);
  return asks.gate === 'question' ? `${title}: ${renderAgentQuestions(asks.questions)}` : title;
}
