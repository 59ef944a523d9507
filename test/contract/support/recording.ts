import type { DelayEngine, Region } from '@delay-queue/core';

/** What was ever asked of an engine: the regions, and the ids that were put. */
export interface Recorded {
  readonly regions: Map<string, Region>;
  readonly ids: Set<string>;
}

/** The same engine, noting which regions and ids it was asked about. */
export function recording(engine: DelayEngine, namespace: string, into: Recorded): DelayEngine {
  const noted = <K extends 'put' | 'cancel' | 'reschedule' | 'claim' | 'settle' | 'renew'>(name: K) => {
    const call = engine[name].bind(engine) as (...args: unknown[]) => unknown;
    return (...args: unknown[]): unknown => {
      const region = args[0] as Region;
      into.regions.set(`${namespace}|${region.topic}/${region.index}`, region);
      if (name === 'put') for (const { id } of args[1] as readonly { id: string }[]) into.ids.add(id);
      return call(...args);
    };
  };
  const calls = Object.fromEntries(
    (['put', 'cancel', 'reschedule', 'claim', 'settle', 'renew'] as const).map((name) => [name, noted(name)]),
  );
  return new Proxy(engine, {
    get(target, property) {
      const own = typeof property === 'string' ? calls[property] : undefined;
      if (own !== undefined) return own;
      const value: unknown = Reflect.get(target, property, target);
      return typeof value === 'function' ? (value as (...args: unknown[]) => unknown).bind(target) : value;
    },
  });
}
