import { DelayQueueError } from '@delay-queue/core';
import type { RedisOptions } from 'ioredis';
import type { RedisClusterConnection } from '../redis-engine-options.js';

const FORMS =
  "'redis://user:password@host:6379/0', 'rediss://…' for TLS, 'redis+sentinel://host:26379,host:26379/name/0' or " +
  "'redis+cluster://host:6379,host:6379' (characters such as @ : / in user and password percent-encoded)";

/** scheme, user:password, hosts, path, query. */
const URL_PARTS = /^(rediss?)(?:\+(sentinel|cluster))?:\/\/(?:(.*)@)?([^/?#]+)(\/[^?#]*)?(?:\?([^#]*))?$/is;

const HOST = /^(\[[0-9a-f:.]+\]|[^:[\]\s]+)(?::(\d{1,5}))?$/i;

/**
 * Reads a connection URL.
 *
 * - `redis://[[user]:password@]host[:6379][/db]`
 * - `redis+sentinel://[[user]:password@]host[:26379][,host…]/name[/db]`; the Sentinels' own credentials, if they
 *   have any, are `?sentinelUsername=…&sentinelPassword=…`
 * - `redis+cluster://[[user]:password@]host[:6379][,host…]`
 *
 * `rediss` in place of `redis` means TLS. User and password are percent-encoded.
 *
 * @throws DelayQueueError INVALID_OPTION, which never repeats the URL: it may hold a password
 */
export function parseRedisUrl(url: string): RedisOptions | RedisClusterConnection {
  if (url.trim() === '') throw refused('is an empty string (is the environment variable set?)');
  const parts = URL_PARTS.exec(url.trim());
  if (parts === null) throw refused('is not a URL this engine knows');
  const [, scheme = '', flavour, login, hosts = '', path = '', query] = parts;
  const common: RedisOptions = {
    ...readLogin(login),
    ...(scheme.toLowerCase() === 'rediss' ? { tls: {} } : {}),
  };
  const segments = path
    .split('/')
    .slice(1)
    .filter((segment) => segment !== '');
  switch (flavour?.toLowerCase()) {
    case 'cluster':
      readQuery(query, []);
      if (segments.length > 0) throw refused('names a database, but a Cluster has only one');
      return { nodes: readHosts(hosts, 6379), options: { redisOptions: common } };
    case 'sentinel': {
      const [name, db, ...more] = segments;
      if (name === undefined || more.length > 0) throw refused('must end with /name or /name/db');
      return {
        ...common,
        ...(common.tls === undefined ? {} : { sentinelTLS: {}, enableTLSForSentinelMode: true }),
        ...readQuery(query, ['sentinelUsername', 'sentinelPassword']),
        sentinels: readHosts(hosts, 26379),
        name: decode(name),
        db: readDb(db),
      };
    }
    default: {
      readQuery(query, []);
      const [first, ...others] = readHosts(hosts, 6379);
      if (first === undefined || others.length > 0) throw refused('names several hosts');
      if (segments.length > 1) throw refused('has more than a database number after the host');
      return { ...common, ...first, db: readDb(segments[0]) };
    }
  }
}

function readLogin(login: string | undefined): RedisOptions {
  if (login === undefined) return {};
  const colon = login.indexOf(':');
  const username = decode(colon < 0 ? login : login.slice(0, colon));
  const password = colon < 0 ? '' : decode(login.slice(colon + 1));
  return { ...(username === '' ? {} : { username }), ...(password === '' ? {} : { password }) };
}

function readHosts(text: string, defaultPort: number): { host: string; port: number }[] {
  return text.split(',').map((part) => {
    const match = HOST.exec(part);
    const port = Number(match?.[2] ?? defaultPort);
    if (match?.[1] === undefined || port < 1 || port > 65_535)
      throw refused('has a host or port that is not valid');
    return { host: match[1].replace(/^\[|\]$/g, ''), port };
  });
}

function readDb(text: string | undefined): number {
  if (text === undefined) return 0;
  if (!/^\d{1,5}$/.test(text)) throw refused('has a database that is not a number of 0 or more');
  return Number(text);
}

function readQuery(query: string | undefined, allowed: readonly string[]): Record<string, string> {
  const values: Record<string, string> = {};
  for (const [key, value] of new URLSearchParams(query ?? '')) {
    if (key === 'keyPrefix') throw refused("has a keyPrefix; use the queue's 'namespace' instead");
    if (!allowed.includes(key)) {
      throw refused(
        `has the parameter '${key.slice(0, 40)}'; ${allowed.length === 0 ? 'none is known here' : `known are ${allowed.join(', ')}`}, other settings go into an options object`,
      );
    }
    values[key] = value;
  }
  return values;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw refused('has a user, password or name that is not percent-encoded well');
  }
}

const refused = (why: string): DelayQueueError =>
  new DelayQueueError('INVALID_OPTION', `connection ${why}; expected ${FORMS}`);
