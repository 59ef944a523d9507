import { Controller, Injectable, Module } from '@nestjs/common';
import { DelayConsumer, DelayQueueContext, type ConsumerTask, type DelayMessage } from '@delay-queue/nestjs';
import { describe, expect, it } from 'vitest';
import { boot, type Addition } from './support/boot.js';

/** Sends to the topic and says which class of consumer got it. */
async function handlerOf(topic: string, addition: Addition): Promise<string[]> {
  handled.length = 0;
  const { app, clock } = await boot(addition);
  await app.get(DelayQueueContext).send(topic, 'content', '1m');
  await clock.advance('1m');
  return [...handled];
}

const handled: string[] = [];

abstract class Recording implements ConsumerTask<string> {
  execute(content: string, message: DelayMessage<string>): void {
    handled.push(`${this.constructor.name} got ${content} as ${message.attempt}`);
  }
}

@DelayConsumer('plain')
class PlainConsumer extends Recording {}

@Module({ providers: [PlainConsumer], exports: [PlainConsumer] })
class PlainModule {}

@DelayConsumer('inherited')
abstract class DecoratedBase extends Recording {}
class Heir extends DecoratedBase {}
class OtherHeir extends DecoratedBase {}
@DelayConsumer('own')
class Rebel extends DecoratedBase {}

describe('a consumer is found', () => {
  it('in the root module', async () => {
    expect(await handlerOf('plain', { providers: [PlainConsumer] })).toEqual([
      'PlainConsumer got content as 1',
    ]);
  });

  it('in any module, once, however often that is imported and exported', async () => {
    @Module({ imports: [PlainModule], exports: [PlainModule] })
    class A {}
    @Module({ imports: [PlainModule, A] })
    class B {}
    expect(await handlerOf('plain', { imports: [A, B, PlainModule] })).toHaveLength(1);
  });

  it('as a subclass of a decorated abstract base', async () => {
    expect(await handlerOf('inherited', { providers: [Heir] })).toEqual(['Heir got content as 1']);
  });

  it('as a subclass with a topic of its own, which leaves the base as it was', async () => {
    expect(await handlerOf('own', { providers: [Rebel, Heir] })).toEqual(['Rebel got content as 1']);
    expect(await handlerOf('inherited', { providers: [Rebel, Heir] })).toEqual(['Heir got content as 1']);
  });

  it('behind a factory, an async factory, a value and a string token', async () => {
    const provide = 'consumer';
    const expected = ['PlainConsumer got content as 1'];
    expect(
      await handlerOf('plain', { providers: [{ provide, useFactory: () => new PlainConsumer() }] }),
    ).toEqual(expected);
    expect(
      await handlerOf('plain', { providers: [{ provide, useFactory: async () => new PlainConsumer() }] }),
    ).toEqual(expected);
    expect(await handlerOf('plain', { providers: [{ provide, useValue: new PlainConsumer() }] })).toEqual(
      expected,
    );
    expect(await handlerOf('plain', { providers: [{ provide, useClass: PlainConsumer }] })).toEqual(expected);
  });

  it('once, when aliases and factories give out the same object', async () => {
    const providers = [
      PlainConsumer,
      { provide: 'alias', useExisting: PlainConsumer },
      { provide: 'again', useFactory: (same: PlainConsumer) => same, inject: [PlainConsumer] },
    ];
    expect(await handlerOf('plain', { providers })).toHaveLength(1);
  });

  it('on a controller', async () => {
    @Controller()
    @DelayConsumer('controlled')
    class ConsumingController extends Recording {}
    expect(await handlerOf('controlled', { controllers: [ConsumingController] })).toHaveLength(1);
  });

  it('below and above @Injectable, with its dependencies', async () => {
    @Injectable()
    class Dependency {
      readonly word = 'injected';
    }
    @DelayConsumer('above')
    @Injectable()
    class Above {
      constructor(private readonly dependency: Dependency) {}
      execute() {
        handled.push(this.dependency.word);
      }
    }
    @Injectable()
    @DelayConsumer('below')
    class Below extends Above {}
    expect(await handlerOf('above', { providers: [Dependency, Above] })).toEqual(['injected']);
    expect(await handlerOf('below', { providers: [Dependency, Below] })).toEqual(['injected']);
  });

  it('with execute as an arrow property, with private fields, and behind a proxy', async () => {
    @DelayConsumer('odd')
    class Odd {
      #word = 'private';
      execute = () => {
        handled.push(this.#word);
      };
    }
    expect(await handlerOf('odd', { providers: [Odd] })).toEqual(['private']);
    const provider = { provide: 'proxied', useFactory: () => new Proxy(new PlainConsumer(), {}) };
    expect(await handlerOf('plain', { providers: [provider] })).toHaveLength(1);
  });

  it('as a plain provider that implements ConsumerTask with topic()', async () => {
    @Injectable()
    class Task extends Recording {
      topic() {
        return 'asked';
      }
    }
    expect(await handlerOf('asked', { providers: [Task] })).toEqual(['Task got content as 1']);
    const useValue: ConsumerTask = { topic: () => 'asked', execute: () => handled.push('a plain object') };
    expect(await handlerOf('asked', { providers: [{ provide: 'task', useValue }] })).toEqual([
      'a plain object',
    ]);
  });
});

describe('in tests', () => {
  const fake = { execute: (content: unknown) => handled.push(`fake got ${String(content)}`) };

  it('overrideProvider replaces a consumer by a value', async () => {
    const addition: Addition = {
      providers: [PlainConsumer],
      override: (builder) => builder.overrideProvider(PlainConsumer).useValue(fake),
    };
    expect(await handlerOf('plain', addition)).toEqual(['fake got content']);
  });

  it('overrideProvider replaces a consumer by an undecorated class', async () => {
    class Fake extends Recording {}
    const addition: Addition = {
      providers: [PlainConsumer],
      override: (builder) => builder.overrideProvider(PlainConsumer).useClass(Fake),
    };
    expect(await handlerOf('plain', addition)).toEqual(['Fake got content as 1']);
  });
});

describe('what is no consumer', () => {
  it('is left alone: foreign methods with parameters, accessors, hostile proxies, values of all kinds', async () => {
    class ForeignClient {
      topic(name: string) {
        return name;
      }
      execute() {
        handled.push('foreign');
      }
    }
    class Lazy {
      get execute(): never {
        throw new Error('looked at');
      }
      get topic(): never {
        throw new Error('looked at');
      }
    }
    const hostile: ProxyHandler<object> = {
      get: () => {
        throw new Error('touched');
      },
      getPrototypeOf: () => {
        throw new Error('touched');
      },
      getOwnPropertyDescriptor: () => {
        throw new Error('touched');
      },
    };
    const { log } = await boot({
      providers: [
        ForeignClient,
        Lazy,
        { provide: 'null', useValue: null },
        { provide: 'undefined', useFactory: () => undefined },
        { provide: 'number', useValue: 7 },
        { provide: 'bare', useValue: Object.create(null) as object },
        { provide: 'class', useValue: PlainConsumer },
        { provide: 'hostile', useValue: { inside: new Proxy({}, hostile) } },
      ],
    });
    expect(log.matching(/Consuming/)).toEqual([]);
  });
});

it('says once at boot which consumers run', async () => {
  const { log } = await boot({ imports: [PlainModule], providers: [Heir] });
  expect(log.matching(/Consuming/)).toEqual([
    expect.stringMatching(/plain \(PlainConsumer in PlainModule\)/) as string,
  ]);
  expect(log.matching(/inherited \(Heir in RootTestModule\)/)).toHaveLength(1);
});

it('two heirs of one decorated base take different topics only if they say so', async () => {
  await expect(boot({ providers: [Heir, OtherHeir] })).rejects.toThrow(
    /Heir in RootTestModule and OtherHeir/,
  );
});
