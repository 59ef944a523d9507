/**
 * What the engine needs of an ioredis client, single or Cluster, of version 5 or 6. Clients are told apart by
 * what they can do and never by `instanceof`: a user's ioredis is often another copy than ours.
 */
export type RedisClient = SingleClient | ClusterClient;

interface CommonClient {
  readonly status: string;
  readonly isCluster?: boolean;
  connect(): Promise<unknown>;
  disconnect(): void;
  call(command: string, args: string[]): Promise<unknown>;
  callBuffer(command: string, args: string[]): Promise<unknown>;
  subscribe(channel: string): Promise<unknown>;
  on(event: string, listener: (...args: unknown[]) => void): unknown;
  off(event: string, listener: (...args: unknown[]) => void): unknown;
}

/** A client of one server. */
export interface SingleClient extends CommonClient {
  /** The socket, once there is one. */
  readonly stream?: NodeJS.EventEmitter | undefined;
  readonly options: {
    socketTimeout?: number | undefined;
    host?: string | undefined;
    port?: number | undefined;
  };
}

/** A client of a Cluster. */
export interface ClusterClient extends CommonClient {
  nodes(role: 'master'): SingleClient[];
  /** By slot: the addresses of its master and its replicas, as far as the client knows. */
  readonly slots: readonly (readonly string[] | undefined)[];
  refreshSlotsCache(): void;
}

/** Whether it talks to a Cluster. */
export function isClusterClient(client: RedisClient): client is ClusterClient {
  return client.isCluster === true;
}

/** The clients of all masters: its own one, or those of the Cluster's nodes. */
export function masters(client: RedisClient): readonly SingleClient[] {
  return isClusterClient(client) ? client.nodes('master') : [client];
}
