import type { StoredMessage } from '@delay-queue/core';
import { readDeadRecord } from './dead-record.js';
import { readCounts } from './delivery-counts.js';
import { readEnvelope } from './envelope.js';

/** What is shown of an envelope that is lost or in a form this package does not know. */
const UNREADABLE = { dueAt: 0, sentAt: 0, content: '' };

/** A waiting or running message; without `at` the due time is the envelope's. */
export function fromEnvelope(
  id: string,
  state: 'waiting' | 'running',
  at: number | undefined,
  envelope: string,
  counts: string | null | undefined,
): StoredMessage {
  const read = readEnvelope(envelope) ?? UNREADABLE;
  return { id, state, ...read, dueAt: at ?? read.dueAt, ...readCounts(counts) };
}

/** A dead letter that died at `at`. */
export function fromDead(id: string, at: number, record: string): StoredMessage {
  const { envelope, ...rest } = readDeadRecord(record);
  return { id, state: 'dead', ...(readEnvelope(envelope) ?? UNREADABLE), ...rest, dueAt: at };
}

/** An id that stays refused until `until`. */
export function handledMessage(id: string, until: number): StoredMessage {
  return {
    id,
    state: 'handled',
    dueAt: until,
    sentAt: 0,
    content: '',
    deliveries: 0,
    failures: 0,
    crashes: 0,
  };
}
