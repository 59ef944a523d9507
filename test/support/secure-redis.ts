import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, startRedis, type RedisServer } from './redis-server.js';

/** A Redis server with a certificate that it made itself, for `localhost` and 127.0.0.1. */
export interface SecureRedis {
  /** Its `url` is the way without TLS. */
  readonly server: RedisServer;
  readonly tlsPort: number;
  /** The certificate, PEM: who trusts it can connect. */
  readonly ca: string;
  stop(): Promise<void>;
}

/** Starts one; needs `openssl` in PATH. */
export async function startSecureRedis(): Promise<SecureRedis> {
  const dir = await mkdtemp(join(tmpdir(), 'delay-queue-tls-'));
  const key = join(dir, 'key.pem');
  const cert = join(dir, 'cert.pem');
  const request = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=localhost'];
  const names = ['-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'];
  execFileSync('openssl', [...request, ...names, '-keyout', key, '-out', cert], { stdio: 'ignore' });
  const tlsPort = await freePort();
  const server = await startRedis([
    ...['--tls-port', `${tlsPort}`, '--tls-auth-clients', 'no'],
    ...['--tls-cert-file', cert, '--tls-key-file', key, '--tls-ca-cert-file', cert],
  ]);
  return {
    server,
    tlsPort,
    ca: readFileSync(cert, 'utf8'),
    async stop() {
      await server.stop();
      await rm(dir, { recursive: true });
    },
  };
}
