import type { Plot } from './draw.js';

/** What an operation costs with so many pending. */
export interface Cost {
  readonly pending: number;
  readonly operation: string;
  readonly us: number;
}

/** The cost of each operation against what is pending. */
export const growthCurves = (costs: readonly Cost[]): Plot => ({
  title: 'Cost against what is pending',
  width: 480,
  height: 280,
  data: { values: [...costs] },
  mark: { type: 'line', point: true },
  encoding: {
    x: { field: 'pending', type: 'quantitative', title: 'messages pending', scale: { type: 'log' } },
    y: { field: 'us', type: 'quantitative', title: 'µs of Redis CPU per message' },
    color: { field: 'operation', type: 'nominal', title: null, sort: null },
  },
});
