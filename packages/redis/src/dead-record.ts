import { readCounts, type DeliveryCounts } from './delivery-counts.js';

/** A value of the `dead-message` hash. */
export interface DeadRecord extends DeliveryCounts {
  readonly reason: string;
  readonly envelope: string;
}

/**
 * Reads a dead letter: `"<deliveries> <failures> <crashes> <length of the reason>\n<reason><envelope>"`. The
 * length counts bytes, as Lua does, so a reason with other characters than ASCII is cut in bytes.
 */
export function readDeadRecord(text: string): DeadRecord {
  const lineEnd = text.indexOf('\n');
  const line = text.slice(0, lineEnd);
  const length = Number(line.slice(line.lastIndexOf(' ') + 1));
  const rest = Buffer.from(text.slice(lineEnd + 1));
  return {
    ...readCounts(line),
    reason: rest.toString('utf8', 0, length),
    envelope: rest.toString('utf8', length),
  };
}
