import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { commandError, isReadOnlyReply, unavailable } from '../../packages/redis/src/redis-errors.js';

describe('an error of Redis', () => {
  it.each([
    [
      "OOM command not allowed when used memory > 'maxmemory'. script: f, on @user_script:1.",
      'OUT_OF_MEMORY',
      false,
    ],
    [
      "ERR Error running script (call to f_1a): @user_script:3: -OOM command not allowed when used memory > 'maxmemory'.",
      'OUT_OF_MEMORY',
      false,
    ],
    ["READONLY You can't write against a read only replica.", 'READ_ONLY', false],
    [
      "ERR Error running script (call to f_1a): @user_script:1: -READONLY You can't write against a read only replica.",
      'READ_ONLY',
      false,
    ],
    ['MISCONF Redis is configured to save RDB snapshots, but …', 'READ_ONLY', false],
    ['NOREPLICAS Not enough good replicas to write.', 'READ_ONLY', false],
    ['LOADING Redis is loading the dataset in memory', 'UNAVAILABLE', false],
    ['BUSY Redis is busy running a script.', 'UNAVAILABLE', false],
    ['CLUSTERDOWN The cluster is down', 'UNAVAILABLE', false],
    ['TRYAGAIN Multiple keys request during rehashing of slot', 'UNAVAILABLE', false],
    ['MASTERDOWN Link with MASTER is down', 'UNAVAILABLE', false],
    ['MOVED 1234 127.0.0.1:1', 'UNAVAILABLE', false],
    ['Too many Cluster redirections. Last error: ReplyError: TRYAGAIN Multiple keys', 'UNAVAILABLE', false],
    ["NOPERM this user has no permissions to run the 'evalsha' command", 'UNAVAILABLE', false],
    ['NOAUTH Authentication required.', 'UNAVAILABLE', false],
    ["Stream isn't writeable and enableOfflineQueue options is false", 'UNAVAILABLE', false],
    ["Cluster isn't ready and enableOfflineQueue options is false", 'UNAVAILABLE', false],
    ['ERR max number of clients reached', 'UNAVAILABLE', false],
    ['Connection is closed.', 'TIMEOUT', true],
    [
      'Reached the max retries per request limit (which is 0). Refer to "maxRetriesPerRequest" option for details.',
      'TIMEOUT',
      true,
    ],
    ['Command aborted due to connection close', 'TIMEOUT', true],
    ['WRONGTYPE Operation against a key holding the wrong kind of value', 'UNSUPPORTED', true],
    ['ERR user_script:3: attempt to index a nil value', 'UNSUPPORTED', true],
  ])('%s is %s', (message, code, mayBeStored) => {
    expect(commandError(new Error(message), 'the put script')).toMatchObject({ code, mayBeStored });
  });

  it('carries neither the command nor a password', () => {
    const raw = Object.assign(new Error('WRONGPASS invalid username-password pair'), {
      command: { name: 'auth', args: ['sesame'] },
    });
    for (const error of [
      commandError(raw, 'x'),
      commandError(new Error('y'), 'x', raw),
      unavailable(raw, 'x'),
    ]) {
      expect(inspect(error, { depth: 10, showHidden: true })).not.toContain('sesame');
    }
  });

  it('of a failed connect names every address', () => {
    const error = new AggregateError(
      [new Error('connect ECONNREFUSED ::1:1'), new Error('connect ECONNREFUSED 127.0.0.1:1')],
      '',
    );
    expect(unavailable(error, 'the call').message).toContain('::1:1, connect ECONNREFUSED 127.0.0.1:1');
  });

  it('asks for another connection where it is read-only, also out of a script', () => {
    expect(isReadOnlyReply(new Error("READONLY You can't write"))).toBe(true);
    expect(
      isReadOnlyReply(new Error('ERR Error running script (call to f_x): @user_script:1: -READONLY You')),
    ).toBe(true);
    expect(isReadOnlyReply(new Error('OOM command not allowed'))).toBe(false);
  });
});
