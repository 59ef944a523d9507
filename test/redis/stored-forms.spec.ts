import { describe, expect, it } from 'vitest';
import { readDeadRecord } from '../../packages/redis/src/dead-record.js';
import { readCounts } from '../../packages/redis/src/delivery-counts.js';
import { envelopeBody, envelopeVersion, readEnvelope } from '../../packages/redis/src/envelope.js';

const TIMES = `${(1_760_000_000_123).toString(16).padStart(11, '0')}${(1_750_000_000_001).toString(16).padStart(11, '0')}`;
const DATES = { dueAt: 1_760_000_000_123, sentAt: 1_750_000_000_001 };

describe('an envelope', () => {
  it.each([
    ['without headers', undefined, '{"a":1}'],
    ['with headers', { a: 'b', 'line\nfeed': '\u2028"ü' }, '"x\ny"'],
    ['with no header in them', {}, ''],
    ['with odd content', undefined, '1'],
  ])('%s is read as it was written', (_name, headers, content) => {
    const text = envelopeVersion(headers) + TIMES + envelopeBody(content, headers);
    expect(readEnvelope(text)).toEqual({ ...DATES, content, ...(headers === undefined ? {} : { headers }) });
  });

  it.each([['3'], ['0'], ['x'], ['\u00e9']])('of version %j is not readable', (version) => {
    expect(readEnvelope(`${version}${TIMES}{}`)).toBeUndefined();
  });

  it('whose headers are damaged is not readable, and does not throw', () => {
    expect(readEnvelope(`2${TIMES}{"a":\n1`)).toBeUndefined();
  });
});

it('counts are 0 where there are none', () => {
  expect(readCounts(null)).toEqual({ deliveries: 0, failures: 0, crashes: 0 });
  expect(readCounts('7 3 2')).toEqual({ deliveries: 7, failures: 3, crashes: 2 });
});

it('a dead letter keeps a reason of any characters apart from its envelope', () => {
  const reason = 'größer\n1 2 3 4\n✓';
  const record = `4 3 1 ${Buffer.byteLength(reason)}\n${reason}1${TIMES}"ü"`;
  expect(readDeadRecord(record)).toEqual({
    deliveries: 4,
    failures: 3,
    crashes: 1,
    reason,
    envelope: `1${TIMES}"ü"`,
  });
});
