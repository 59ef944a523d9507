import type { DelayEngine, EngineInspector, Region } from '@delay-queue/core';

/** What was ever asked of an engine: the regions, and the ids that were put. */
export interface Recorded {
  readonly regions: Map<string, Region>;
  readonly ids: Set<string>;
}

/** The same engine, noting which regions and ids it was asked about. */
export function recording(engine: DelayEngine, into: Recorded): DelayEngine {
  const note = (region: Region) => void into.regions.set(`${region.topic}/${region.index}`, region);
  const { inspector } = engine;
  return noting<DelayEngine>(
    engine,
    (name, args) => {
      if (!REGION_CALLS.has(name)) return;
      note(args[0] as Region);
      if (name === 'put') for (const { id } of args[1] as readonly { id: string }[]) into.ids.add(id);
    },
    inspector && {
      inspector: noting<EngineInspector>(inspector, (name, args) => {
        if (name !== 'setPaused') return note(args[0] as Region);
        const [topic, indices] = args as [string, readonly number[]];
        for (const index of indices) note({ topic, index });
      }),
    },
  );
}

const REGION_CALLS: ReadonlySet<string> = new Set([
  'put',
  'cancel',
  'reschedule',
  'claim',
  'settle',
  'renew',
]);

/** The same object; each call of a method is noted first. `instead` takes the place of its properties. */
function noting<T extends object>(
  target: T,
  note: (name: string, args: readonly unknown[]) => void,
  instead: Partial<T> = {},
): T {
  return new Proxy(target, {
    get(_, property) {
      if (property in instead) return Reflect.get(instead, property);
      const value: unknown = Reflect.get(target, property, target);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]): unknown => {
        note(String(property), args);
        return (value as (...args: unknown[]) => unknown).apply(target, args);
      };
    },
  });
}
