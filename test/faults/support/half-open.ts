import { connect, createServer, type Socket } from 'node:net';

/** A way to a server whose connections can fall silent: the other side is gone, and no packet says so. */
export interface HalfOpen {
  readonly url: string;
  /**
   * All connections of now are silent for good; new ones work. `answers`: what is asked on them is still carried
   * out. `both`: nothing gets through.
   */
  silence(what: 'answers' | 'both'): void;
  close(): Promise<void>;
}

/** Opens one to a port of this machine. */
export async function openHalfOpen(targetPort: number): Promise<HalfOpen> {
  const pairs = new Set<{ silent?: 'answers' | 'both' }>();
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(targetPort, '127.0.0.1');
    const pair: { silent?: 'answers' | 'both' } = {};
    pairs.add(pair);
    for (const socket of [client, upstream]) {
      sockets.add(socket.setNoDelay(true));
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        pairs.delete(pair);
        client.destroy();
        upstream.destroy();
      });
    }
    client.on('data', (chunk) => {
      if (pair.silent !== 'both') upstream.write(chunk);
    });
    upstream.on('data', (chunk) => {
      if (pair.silent === undefined) client.write(chunk);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port');
  return {
    url: `redis://127.0.0.1:${address.port}`,
    silence: (what) => pairs.forEach((pair) => (pair.silent ??= what)),
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
