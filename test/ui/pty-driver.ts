import { writeFileSync } from 'node:fs';
import { reportError } from '../../lib/cli/report-error.ts';
import { runInProcess } from '../../lib/cli/run-in-process.ts';
import { createGates } from '../../lib/ui/questions/create-gates.ts';
import { createStyle } from '../../lib/ui/text/style.ts';
import { sampleChangesetQuestion, sampleSessionQuestion } from './samples.ts';

// Asks two questions at the real terminal it is started in; pty.test.ts types the answers.
void runInProcess(async ([answersFile = '', pager = 'cat', editor = 'false'], io) => {
  const style = createStyle(io.stderr, io.env, { color: null, plain: false });
  const gates = createGates(io, {
    person: 'Lea Lead <lea@example.com>',
    style,
    pager,
    editor,
    resume: 'git flame run',
    formatPlan: () => '',
    parsePlan: () => ({ tasks: [] }),
    decisions: null,
    readFile: async () => '',
  });
  try {
    const changeset = await gates.changeset(sampleChangesetQuestion());
    const session = await gates.session(sampleSessionQuestion());
    writeFileSync(answersFile, JSON.stringify({ isInteractive: gates.isInteractive, changeset, session }));
    return 0;
  } catch (error) {
    return reportError(error, [], io);
  }
});
