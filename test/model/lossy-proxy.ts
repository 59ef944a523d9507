import { createServer, connect, type Server, type Socket } from 'node:net';

/** A way to a server on which an answer can be lost. */
export interface LossyProxy {
  readonly port: number;
  /**
   * The next connection on which a script is called gets it through, and is cut when the answer comes: carried
   * out, and nobody knows. No script within `during`: nothing happens. The greetings of a connection that is
   * just coming back are no script, or it would never get through.
   */
  loseAnswerOf<R>(during: () => Promise<R>): Promise<R>;
  close(): Promise<void>;
}

/** Starts a proxy to a port of this machine. */
export async function lossyProxy(targetPort: number): Promise<LossyProxy> {
  const sockets = new Set<Socket>();
  let armed = false;
  const server: Server = createServer((client) => {
    const upstream = connect(targetPort, '127.0.0.1');
    let doomed = false;
    for (const socket of [client, upstream]) {
      sockets.add(socket.setNoDelay(true));
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    client.on('data', (chunk) => {
      if (armed && /evalsha/i.test(chunk.toString('latin1'))) {
        armed = false;
        doomed = true;
      }
      upstream.write(chunk);
    });
    upstream.on('data', (chunk) => {
      if (doomed) client.destroy();
      else client.write(chunk);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port');
  return {
    port: address.port,
    async loseAnswerOf(during) {
      armed = true;
      try {
        return await during();
      } finally {
        armed = false;
      }
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
