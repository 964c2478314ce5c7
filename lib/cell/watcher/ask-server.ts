import { connect } from 'node:net';
import { type Answer, blocked, parseAnswer, renderRequest, waitLine } from './protocol.ts';

/**
 * Asks the decision server; a server that is gone or ends without an answer blocks. Rejects on nothing. `onWait` is called
 * as often as the server says that a person is asked.
 */
export function askServer(
  socketPath: string,
  request: Parameters<typeof renderRequest>[0],
  onWait: () => void,
): Promise<Answer> {
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect(socketPath, () => socket.write(renderRequest(request)));
    socket.setEncoding('utf8');
    socket.on('data', (chunk: string) => {
      answer += chunk;
      for (; answer.startsWith(waitLine); answer = answer.slice(waitLine.length)) onWait();
    });
    socket.on('error', (error) => resolve(unanswered(error.message)));
    socket.on('close', () => resolve(parseAnswer(answer) ?? unanswered('it gave no whole answer')));
  });
}

function unanswered(why: string): Answer {
  return blocked('watcher-failed', `The orchestrator did not answer (${why}); stop working.`);
}
