import type { DelayEngine, EngineFactory, PutMessage, PutOptions, Region } from '@delay-queue/core';

/** One call of the engine as a test sees it. */
export interface TappedCall {
  readonly method: keyof DelayEngine;
  readonly args: readonly unknown[];
}

/** Stands between core and the engine: `next` carries the call out. */
export type Tap = (call: TappedCall, next: () => Promise<unknown>) => Promise<unknown>;

/** A put, in the order in which they came. */
export interface SeenPut {
  readonly region: Region;
  readonly messages: readonly PutMessage[];
  readonly options: PutOptions;
}

/** An engine that tells what it was asked, and lets a test answer in its place. */
export class TappedEngine {
  readonly calls: TappedCall[] = [];
  /** Replace it to interfere. */
  tap: Tap = (_call, next) => next();

  /** Wraps what `inner` makes. */
  factory(inner: EngineFactory): EngineFactory {
    return (context) => {
      const engine = inner(context);
      return new Proxy(engine, {
        get: (target, name: keyof DelayEngine) => {
          const member: unknown = Reflect.get(target, name);
          if (typeof member !== 'function' || name === 'watch') {
            return typeof member === 'function' ? (member.bind(target) as unknown) : member;
          }
          return (...args: unknown[]) => {
            const call = { method: name, args };
            this.calls.push(call);
            return this.tap(call, () => Reflect.apply(member, target, args) as Promise<unknown>);
          };
        },
      });
    };
  }

  /** The calls of one method. */
  of(method: keyof DelayEngine): TappedCall[] {
    return this.calls.filter((call) => call.method === method);
  }

  get puts(): SeenPut[] {
    return this.of('put').map(({ args: [region, messages, options] }) => ({
      region: region as Region,
      messages: messages as PutMessage[],
      options: options as PutOptions,
    }));
  }
}
