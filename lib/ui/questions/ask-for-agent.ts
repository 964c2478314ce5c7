import type { AgentQuestion } from '../../domain/agent-talk.ts';
import { FlameError } from '../../domain/flame-error.ts';
import type { AgentAnswer, AgentAsked } from '../../domain/ports/gates.ts';
import { formatClock } from '../../util/format-figures.ts';
import { wrapText } from '../../util/format-width.ts';
import type { Style } from '../text/style.ts';
import { visibleLine, visibleText } from '../text/visible-text.ts';
import { readAnswers } from './about-run.ts';
import { type Asking, askLine } from './choose.ts';
import type { GateContext } from './gate-context.ts';
import { unanswered } from './waits-for-person.ts';

/** Asks an agent's questions one by one: answers by number or in words; Enter alone leaves it to the agent. */
export async function askForAgent(
  context: GateContext,
  { agent, task, title, questions, until }: AgentAsked,
): Promise<AgentAnswer> {
  const about = task === null ? title : `${task}: ${title}`;
  context.say(context.style.bold(`${agent} asks (${visibleLine(about)})`));
  const asking = context.asking(
    unanswered('What an agent asks waits for a person.', { hints: ['git flame answer'] }),
  );
  const given: string[] = [];
  for (const one of questions) {
    const { question, options } = one;
    context.say(quoted(question, context.style));
    for (const [index, { label, description }] of options.entries())
      context.say(
        quoted(`${index + 1} ${label}${description === '' ? '' : `: ${description}`}`, context.style),
      );
    const answer = await askOne(context, asking, { question: one, until });
    if (answer === null) return { kind: 'proceed' };
    given.push(answer);
  }
  return readAnswers(questions, { kind: 'answer', answers: given });
}

/** Asks until there is an answer; null: it is left to the agent. */
async function askOne(
  context: GateContext,
  asking: Asking,
  { question, until }: { readonly question: AgentQuestion; readonly until: string },
): Promise<string | null> {
  const { options, isSeveral } = question;
  const how =
    options.length === 0 ? '' : isSeveral ? 'numbers, or in your words; ' : 'a number, or in your words; ';
  for (;;) {
    const answer = await askOrEnd(
      asking,
      `Answer (${how}Enter: it goes on by itself, as it does at ${formatClock(until)}): `,
    );
    if (answer.trim() === '') return null;
    try {
      readAnswers([question], { kind: 'answer', answers: [answer] });
      return answer;
    } catch (error) {
      if (!(error instanceof FlameError) || error.kind !== 'refused') throw error;
      context.say(visibleLine(error.message));
    }
  }
}

const mostLines = 20;

/** An agent's words behind a mark, so that none of them is taken for this program's. */
function quoted(text: string, style: Style): string {
  const lines = visibleText(text)
    .split('\n')
    .flatMap((line) => wrapText(line, style.width - mark.length));
  const rest = lines.length - mostLines;
  const more = rest > 0 ? [`and ${rest} more lines: git flame answer shows them`] : [];
  return [...lines.slice(0, mostLines).map((line) => `${mark}${line}`), ...more].join('\n');
}

const mark = '  │ ';

/** Sends Ctrl-C to the run: else its agent alone would get the answer that no person can be asked. */
async function askOrEnd(asking: Asking, prompt: string): Promise<string> {
  try {
    return await askLine(asking, prompt);
  } catch (error) {
    if (error instanceof FlameError && error.code === 'interrupted') process.kill(process.pid, 'SIGINT');
    throw error;
  }
}
