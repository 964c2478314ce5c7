import { chmodSync } from 'node:fs';
import type { AddressInfo, Server, Socket } from 'node:net';

export interface ListeningServer {
  /** The port, 0 on a socket file. */
  readonly port: number;
  /** Ends the server and its open connections. */
  close(): Promise<void>;
}

/** Listens on a socket file, for its owner alone, or on a free loopback port (null). */
export async function listenOn(server: Server, socketPath: string | null): Promise<ListeningServer> {
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    if (socketPath === null) server.listen(0, '127.0.0.1', resolve);
    else server.listen(socketPath, resolve);
  });
  if (socketPath !== null) chmodSync(socketPath, 0o600);
  const address = server.address() as AddressInfo | string | null;
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of open) socket.destroy();
      }),
  };
}
