import { createServer, type Socket } from 'node:net';

/**
 * Lets one agent reach tools of the orchestrator by a unix socket that is mounted into its cell alone: the path is all
 * the proof of who calls. Resolves once it listens.
 */
export async function openToolDoor(
  path: string,
  connect: (socket: Socket) => void,
): Promise<{ close(): Promise<void> }> {
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket));
    // The agent is gone in mid-word: its end is what is reported.
    socket.on('error', () => socket.destroy());
    connect(socket);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, resolve);
  });
  return {
    close: () =>
      new Promise((resolve) => {
        for (const socket of open) socket.destroy();
        server.close(() => resolve());
      }),
  };
}
