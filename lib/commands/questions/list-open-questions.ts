import { runFoldersRoot } from '../../cell/run-folder.ts';
import { renderAgentQuestions } from '../../domain/agent-messages.ts';
import type { QuestionData } from '../../domain/questions/question-data.ts';
import { renderQuestionTitle } from '../../domain/questions/question-facts.ts';
import type { Session } from '../../domain/state/session-schema.ts';
import type { AskedQuestion } from '../../domain/view-models/status-view.ts';
import { listNamesIn } from '../../util/read-file.ts';
import { questionSocketPrefix } from './socket-names.ts';

/** Lists open questions of a session in this machine's runs; those of a suspended run are unknown. */
export async function listOpenQuestions(commonDir: string, session: Session['id']): Promise<readonly AskedQuestion[]> {
  // Loads the client only where something runs.
  if (!listNamesIn(runFoldersRoot(commonDir)).some((name) => name.startsWith(questionSocketPrefix))) return [];
  const { readOpenQuestions } = await import('./question-clients.ts');
  return (await readOpenQuestions(commonDir))
    .filter((gate) => gate.session === session)
    .map(({ id, asked_at, asks }) => ({
      id,
      gate: asks.gate,
      asks: wordsOf(asks),
      asked_at,
      next: 'git flame answer',
    }));
}

/** An agent's question is what its title can't say. */
function wordsOf(asks: QuestionData): string {
  const title = renderQuestionTitle(asks);
  return asks.gate === 'question' ? `${title}: ${renderAgentQuestions(asks.questions)}` : title;
}
