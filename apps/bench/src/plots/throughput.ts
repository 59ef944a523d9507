import type { Figure } from '../figure.js';
import type { Plot } from './draw.js';

/** Unit of the figures that it shows. */
export const RATE = 'messages/s';

/** Every rate of ours as a bar, beside those of its peers. */
export function throughput(figures: readonly Figure[]): Plot {
  const rates = figures.filter(({ unit }) => unit === RATE);
  const values = rates.flatMap(({ name, ours, peer, peerName }) => [
    { name, who: 'delay queue', rate: ours },
    { name, who: peerName, rate: peer },
  ]);
  // A figure with two peers says ours twice.
  const once = [...new Map(values.map((value) => [`${value.name} ${value.who}`, value])).values()];
  return {
    title: 'Throughput',
    data: { values: once },
    mark: 'bar',
    encoding: {
      y: { field: 'who', type: 'nominal', title: null, sort: null },
      x: { field: 'rate', type: 'quantitative', title: RATE },
      color: { field: 'who', type: 'nominal', legend: null },
      row: {
        field: 'name',
        type: 'nominal',
        title: null,
        sort: null,
        header: { labelAngle: 0, labelAlign: 'left' },
      },
    },
  };
}
