import { Worker } from 'node:worker_threads';

let port: number | undefined;

/**
 * Where programs of hosts that tests put on PATH have their answers from: a thread, so that they are also given
 * while a test waits for a process.
 */
export function forgePort(): number {
  port ??= startServer();
  return port;
}

function startServer(): number {
  const at = new Int32Array(new SharedArrayBuffer(4));
  new Worker(server, { eval: true, workerData: at }).unref();
  Atomics.wait(at, 0, 0);
  return at[0] ?? 0;
}

/** A call is the number of its words, the folder of the program and the words; an answer its code, stderr and stdout. */
const server = `
const { createServer } = require('node:net');
const { join } = require('node:path');
const { workerData } = require('node:worker_threads');
const ended = Symbol();

createServer((socket) => {
  let received = Buffer.alloc(0);
  socket.on('data', (chunk) => {
    received = Buffer.concat([received, chunk]);
    const [count, folder, ...words] = received.toString().split('\\0');
    if (folder === undefined || words.length !== Number(count) + 1) return;
    const { code, said, printed } = answer(folder, words.slice(0, -1));
    socket.end([code, said, printed].join('\\0'));
  });
}).listen(0, '127.0.0.1', function () {
  Atomics.store(workerData, 0, this.address().port);
  Atomics.notify(workerData, 0);
});

function answer(folder, words) {
  let [code, said, printed] = [0, '', ''];
  const stdout = { write: (text) => (printed += text) };
  const stderr = { write: (text) => (said += text) };
  const exit = (with_) => { code = with_; throw ended; };
  const console = { log: (text) => stdout.write(text + '\\n'), error: (text) => stderr.write(text + '\\n') };
  try {
    require(join(folder, 'forge.cjs'))(words, console, { stdout, stderr, exit });
  } catch (error) {
    if (error !== ended) [code, said] = [70, error.stack];
  }
  return { code, said, printed };
}
`;
