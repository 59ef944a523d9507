import { SHARES } from '../rounds/percentiles.js';
import type { RoundOutput } from '../rounds/round.js';
import type { Plot } from './draw.js';

/** What share of the messages starts within how many milliseconds of its due time; a curve for each stream. */
export function latenessCurves(streams: ReadonlyMap<string, RoundOutput>): Plot {
  const values = [...streams].flatMap(([stream, late]) =>
    Object.entries(SHARES).map(([name, share]) => ({
      stream,
      percent: 100 * share,
      // A logarithmic axis has no 0; what is less than a millisecond cannot be told from it.
      ms: Math.max(late[name] ?? Number.NaN, 1),
    })),
  );
  return {
    title: 'Lateness',
    width: 480,
    height: 280,
    data: { values },
    mark: { type: 'line', point: true },
    encoding: {
      x: { field: 'ms', type: 'quantitative', title: 'ms after the due time', scale: { type: 'log' } },
      y: { field: 'percent', type: 'quantitative', title: '% of the messages have started' },
      color: { field: 'stream', type: 'nominal', title: null, sort: null },
      order: { field: 'percent' },
    },
  };
}
