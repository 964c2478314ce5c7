import { createServer } from 'node:http';
import { answer } from './answer.js';
import { readConfig } from './config.js';

createServer((request, response) => {
  const { status, headers = {}, body } = answer({
    method: request.method,
    path: request.url,
    client: request.socket.remoteAddress,
  });
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers });
  response.end(body === undefined ? '' : JSON.stringify(body));
}).listen(readConfig().port);
