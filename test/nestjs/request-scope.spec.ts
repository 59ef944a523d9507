import { Inject, Injectable, Module, Scope } from '@nestjs/common';
import { ContextIdFactory, ModuleRef, REQUEST, type ContextIdStrategy } from '@nestjs/core';
import { DelayConsumer, DelayQueueContext, type ConsumerTask, type DelayMessage } from '@delay-queue/nestjs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { boot, type Addition } from './support/boot.js';

const seen: { content: unknown; consumer: object; dependency: object; request: unknown }[] = [];

beforeEach(() => {
  seen.length = 0;
});

@Injectable({ scope: Scope.REQUEST })
class PerRequest {
  constructor(@Inject(REQUEST) readonly message: DelayMessage) {}
}

@Injectable()
class OneLevelUp {
  constructor(readonly below: PerRequest) {}
}

@Injectable({ scope: Scope.TRANSIENT })
class Transient {}

function record(consumer: object, dependency: object, content: unknown, request?: unknown): void {
  seen.push({ content, consumer, dependency, request });
}

/** Two messages through the consumer of `topic`. */
async function handleTwo(addition: Addition): Promise<void> {
  const { app, clock } = await boot(addition);
  const queue = app.get(DelayQueueContext);
  await queue.send('topic', 'first', '1m');
  await queue.send('topic', 'second', '2m');
  await clock.advance('3m');
  expect(seen.map(({ content }) => content)).toEqual(['first', 'second']);
}

const consumersDiffer = () => seen[0]?.consumer !== seen[1]?.consumer;
const dependenciesDiffer = () => seen[0]?.dependency !== seen[1]?.dependency;

describe('every message gets a consumer of its own', () => {
  it('with scope REQUEST on the decorator, and itself as REQUEST', async () => {
    @DelayConsumer('topic', { scope: Scope.REQUEST })
    class Scoped implements ConsumerTask<string> {
      constructor(
        private readonly dependency: PerRequest,
        @Inject(REQUEST) private readonly request: DelayMessage,
      ) {}
      execute(content: string, message: DelayMessage<string>) {
        expect(this.request).toBe(message);
        expect(this.dependency.message).toBe(message);
        record(this, this.dependency, content);
      }
    }
    await handleTwo({ providers: [Scoped, PerRequest] });
    expect(consumersDiffer()).toBe(true);
    expect(dependenciesDiffer()).toBe(true);
  });

  it('with a request-scoped dependency two levels down', async () => {
    @DelayConsumer('topic')
    class Deep {
      constructor(private readonly between: OneLevelUp) {}
      execute(content: string, message: DelayMessage<string>) {
        expect(this.between.below.message).toBe(message);
        record(this, this.between, content);
      }
    }
    await handleTwo({ providers: [Deep, OneLevelUp, PerRequest] });
    expect(consumersDiffer()).toBe(true);
  });

  it('with scope TRANSIENT', async () => {
    @DelayConsumer('topic', { scope: Scope.TRANSIENT })
    class Fleeting {
      constructor(private readonly dependency: Transient) {}
      execute(content: string) {
        record(this, this.dependency, content);
      }
    }
    await handleTwo({ providers: [Fleeting, Transient] });
    expect(consumersDiffer()).toBe(true);
    expect(seen.every(({ dependency }) => dependency instanceof Transient)).toBe(true);
  });

  it('inherited: scope and topic from a decorated base', async () => {
    @DelayConsumer('topic', { scope: Scope.REQUEST })
    abstract class Base {
      constructor(@Inject(REQUEST) readonly request: DelayMessage) {}
      execute(content: string, message: DelayMessage<string>) {
        expect(this.request).toBe(message);
        record(this, this, content);
      }
    }
    class Heir extends Base {}
    await handleTwo({ providers: [Heir] });
    expect(consumersDiffer()).toBe(true);
    expect(seen[0]?.consumer).toBeInstanceOf(Heir);
  });

  it('from a request-scoped factory', async () => {
    @DelayConsumer('topic')
    class Made {
      constructor(readonly dependency: PerRequest) {}
      execute(content: string) {
        record(this, this.dependency, content);
      }
    }
    const provider = {
      provide: Made,
      inject: [PerRequest],
      useFactory: (each: PerRequest) => new Made(each),
    };
    await handleTwo({ providers: [provider, PerRequest] });
    expect(consumersDiffer()).toBe(true);
  });

  it('resolved inside its own module, where another module has the same tokens', async () => {
    @DelayConsumer('topic', { scope: Scope.REQUEST })
    class Scoped {
      constructor(
        @Inject('who') private readonly who: object,
        private readonly moduleRef: ModuleRef,
      ) {}
      execute(content: string) {
        record(this, this.who, content, this.moduleRef);
      }
    }
    const mine = { mine: true };
    @Module({ providers: [Scoped, { provide: 'who', useValue: mine }] })
    class Mine {}
    @Module({ providers: [{ provide: 'who', useValue: { mine: false } }] })
    class Other {}
    await handleTwo({ imports: [Mine, Other] });
    expect(seen[0]?.dependency).toBe(mine);
  });
});

it('a plain consumer with transient dependencies is one object', async () => {
  @DelayConsumer('topic')
  class Lasting {
    constructor(private readonly dependency: Transient) {}
    execute(content: string) {
      record(this, this.dependency, content);
    }
  }
  await handleTwo({ providers: [Lasting, Transient] });
  expect(consumersDiffer()).toBe(false);
  expect(seen[0]?.dependency).toBeInstanceOf(Transient);
});

it('a dependency that cannot be made is a failure of that message, with a retry', async () => {
  let tries = 0;
  @Injectable({ scope: Scope.REQUEST })
  class Fragile {
    constructor() {
      tries += 1;
      if (tries === 1) throw new Error('not yet');
    }
  }
  @DelayConsumer('topic', { retry: { backoff: '1m' } })
  class Scoped {
    constructor(private readonly fragile: Fragile) {}
    execute(content: string, message: DelayMessage) {
      record(this, this.fragile, `${content} ${message.failures}`);
    }
  }
  const { app, clock } = await boot({ providers: [Scoped, Fragile] });
  await app.get(DelayQueueContext).send('topic', 'a', '1m');
  await clock.advance('5m');
  expect(seen.map(({ content }) => content)).toEqual(['a 1']);
});

describe('durable providers', () => {
  /** One sub-tree per tenant, as Nest's documentation shows it. */
  class PerTenant implements ContextIdStrategy<DelayMessage> {
    readonly #tenants = new Map<string, { id: number }>();

    attach(contextId: { id: number }, message: DelayMessage) {
      const tenant = message.headers['tenant'] ?? 'none';
      const shared = this.#tenants.get(tenant) ?? { id: this.#tenants.size };
      this.#tenants.set(tenant, shared);
      return {
        resolve: (info: { isTreeDurable: boolean }) => (info.isTreeDurable ? shared : contextId),
        payload: { tenant },
      };
    }
  }

  beforeEach(() => ContextIdFactory.apply(new PerTenant()));
  afterEach(() => ContextIdFactory.apply(undefined as never));

  it('are shared as the strategy says', async () => {
    @Injectable({ scope: Scope.REQUEST, durable: true })
    class Pool {
      constructor(@Inject(REQUEST) readonly request: { tenant: string }) {}
    }
    @DelayConsumer('topic')
    class ForTenants {
      constructor(private readonly pool: Pool) {}
      execute(content: string) {
        record(this, this.pool, content, this.pool.request.tenant);
      }
    }
    const { app, clock } = await boot({ providers: [ForTenants, Pool] });
    const queue = app.get(DelayQueueContext);
    await queue.send('topic', 1, '1m', { headers: { tenant: 'a' } });
    await queue.send('topic', 2, '2m', { headers: { tenant: 'b' } });
    await queue.send('topic', 3, '3m', { headers: { tenant: 'a' } });
    await clock.advance('4m');
    expect(seen.map(({ request }) => request)).toEqual(['a', 'b', 'a']);
    expect(dependenciesDiffer()).toBe(true);
    expect(seen[2]?.dependency).toBe(seen[0]?.dependency);
  });
});
