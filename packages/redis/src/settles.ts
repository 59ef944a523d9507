import { DelayQueueError, type Settled, type SettleOptions, type Verdict } from '@delay-queue/core';
import type { ScriptTarget } from './script-runner.js';
import { settleDone, type SettleReply } from './scripts/settle-done.js';
import { MOST_VERDICTS, settleRest, type OtherVerdict } from './scripts/settle-rest.js';

interface Part {
  readonly ids: readonly string[];
  readonly reply: Promise<SettleReply>;
}

/**
 * Applies verdicts: what is done in one script, the rest in scripts of at most 200, all in one round trip.
 *
 * @throws DelayQueueError TIMEOUT with `mayBeStored` also when some of the scripts passed and others did not
 */
export async function settle(
  target: ScriptTarget,
  lease: string,
  verdicts: readonly Verdict[],
  { dedupeMs, whole = false }: SettleOptions,
): Promise<Settled> {
  const parts: Part[] = [];
  const done = verdicts.filter(({ verdict }) => verdict === 'done').map(({ id }) => id);
  if (done.length > 0)
    parts.push({
      ids: done,
      reply: settleDone(target, lease, done, dedupeMs, whole && done.length === verdicts.length),
    });
  const rest = verdicts.filter((verdict): verdict is OtherVerdict => verdict.verdict !== 'done');
  for (let from = 0; from < rest.length; from += MOST_VERDICTS) {
    const some = rest.slice(from, from + MOST_VERDICTS);
    parts.push({ ids: some.map(({ id }) => id), reply: settleRest(target, lease, some) });
  }
  return combine(parts, await Promise.allSettled(parts.map(({ reply }) => reply)));
}

function combine(parts: readonly Part[], results: readonly PromiseSettledResult<SettleReply>[]): Settled {
  const stale: string[] = [];
  const superseded: string[] = [];
  const lookAts: number[] = [];
  const failed = results.filter((result) => result.status === 'rejected');
  if (failed.length > 0) throw failure(failed[0]?.reason, failed.length < results.length);
  results.forEach((result, i) => {
    const ids = parts[i]?.ids ?? [];
    if (result.status === 'rejected') return;
    const { value } = result;
    stale.push(...pick(ids, value.stale));
    superseded.push(...pick(ids, value.superseded));
    if (value.lookAt !== undefined) lookAts.push(value.lookAt);
  });
  return { stale, superseded, lookAt: lookAts.length === 0 ? undefined : Math.min(...lookAts) };
}

function failure(error: unknown, partly: boolean): unknown {
  if (!partly || !(error instanceof DelayQueueError)) return error;
  return new DelayQueueError('TIMEOUT', `a settle was carried out in part only: ${error.message}`, {
    mayBeStored: true,
    cause: error,
  });
}

const pick = (ids: readonly string[], positions: readonly number[]): string[] =>
  positions.flatMap((position) => ids[position] ?? []);
