import { readdirSync } from 'node:fs';
import { runRoot } from '../../cell/run-folder.ts';
import { questionWords } from '../../domain/agent-talk.ts';
import type { GateAsks } from '../../domain/questions/gate.ts';
import { questionTitle } from '../../domain/questions/question-facts.ts';
import type { Asking } from '../../domain/shown/status.ts';
import type { Session } from '../../domain/state/session.ts';
import { doorPrefix } from './door-names.ts';

/** Lists open questions of a session in this machine's runs; those of a suspended run are unknown. */
export async function askedNow(
  commonDir: string,
  session: Pick<Session, 'id'> | null,
): Promise<readonly Asking[]> {
  // Loads the client only where something runs.
  if (session === null || !hasDoors(commonDir)) return [];
  const { openFarLines } = await import('./far-lines.ts');
  const far = openFarLines(commonDir);
  try {
    return (await far.ready())
      .flatMap((line) => line.read().open ?? [])
      .filter((gate) => gate.session === session.id)
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
    return readdirSync(runRoot(commonDir)).some((name) => name.startsWith(doorPrefix));
  } catch {
    return false;
  }
}

/** An agent's question is what its title can't say. */
function wordsOf(asks: GateAsks): string {
  const title = questionTitle(asks);
  return asks.gate === 'question' ? `${title}: ${questionWords(asks.questions)}` : title;
}
