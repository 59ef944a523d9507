/** A method, callable with its object as `this`. */
export type Method = (...args: unknown[]) => unknown;

/**
 * The method `name` of an object or its prototypes, found without running any accessor, so that looking at
 * foreign providers cannot do anything; `undefined` where there is none.
 */
export function methodOf(object: object, name: string): Method | undefined {
  try {
    for (let at: object | null = object; at !== null; at = Reflect.getPrototypeOf(at)) {
      const descriptor = Reflect.getOwnPropertyDescriptor(at, name);
      if (descriptor === undefined) continue;
      const value: unknown = descriptor.value;
      return typeof value === 'function' ? (value as Method) : undefined;
    }
  } catch {
    // A proxy that answers no questions is none of ours.
  }
  return undefined;
}
