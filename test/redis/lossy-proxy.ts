import { createServer, connect, type Socket } from 'node:net';

/** A proxy before a server where answers can get lost: it is asked, it does, and nobody hears of it. */
export interface LossyProxy {
  readonly port: number;
  /** Which answers are swallowed from now on: all, none, or those that contain a text. */
  swallow: boolean | string;
  /** Connections made so far. */
  readonly connections: number;
  /** Breaks all connections. */
  cut(): void;
  close(): Promise<void>;
}

/** Starts one on a free port of the loopback. */
export async function lossyProxy(url: string): Promise<LossyProxy> {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((client) => {
    connections++;
    const upstream = connect(Number(target.port), target.hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    client.pipe(upstream, { end: false });
    upstream.on('data', (chunk) => {
      const { swallow } = proxy;
      const isLost = typeof swallow === 'string' ? chunk.includes(swallow) : swallow;
      if (!isLost) client.write(chunk);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const proxy: LossyProxy = {
    port: address.port,
    swallow: false,
    get connections() {
      return connections;
    },
    cut: () => sockets.forEach((socket) => socket.destroy()),
    close: async () => {
      proxy.cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return proxy;
}
