import { Module } from '@nestjs/common';
import { DelayConsumer } from '@delay-queue/nestjs';
import { describe, expect, it } from 'vitest';
import { bootErrorOf } from './support/boot.js';
import { IdleConsumer as Consumer, faultOf } from './support/fault-of.js';

/** The decorator as plain JavaScript may call it. */
const untyped = (topic: unknown, options?: unknown) =>
  DelayConsumer(topic as string, options as never) as (target: object) => void;

describe('the application does not start with', () => {
  it('two consumers for one topic, and says which and where', async () => {
    @DelayConsumer('same')
    class First extends Consumer {}
    @DelayConsumer('same')
    class Second extends Consumer {}
    @Module({ providers: [First] })
    class Orders {}
    @Module({ providers: [Second] })
    class Payments {}
    const { message } = await bootErrorOf({ imports: [Orders, Payments] });
    expect(message).toMatch(/'same'.*First in Orders and Second in Payments/);
  });

  it('one consumer class provided in two modules', async () => {
    @DelayConsumer('same')
    class Only extends Consumer {}
    @Module({ providers: [Only] })
    class Orders {}
    @Module({ providers: [Only] })
    class Payments {}
    const { message } = await bootErrorOf({ imports: [Orders, Payments] });
    expect(message).toMatch(/Only in Orders and Only in Payments.*export it from one/);
  });

  it('a decorated base and its heir for the same topic', async () => {
    @DelayConsumer('same')
    class Base extends Consumer {}
    class Heir extends Base {}
    expect(await faultOf([Base, Heir])).toMatch(/Base in RootTestModule and Heir in RootTestModule/);
  });

  it('a plain task and a decorated class for the same topic', async () => {
    @DelayConsumer('same')
    class Decorated extends Consumer {}
    class Plain extends Consumer {
      topic() {
        return 'same';
      }
    }
    expect(await faultOf([Decorated, Plain])).toMatch(/Decorated .* and Plain/);
  });

  it('a consumer of an instance that does not exist', async () => {
    @DelayConsumer('topic', { delayQueue: 'audit' })
    class Audit extends Consumer {}
    expect(await faultOf([Audit])).toMatch(
      /Audit in RootTestModule.*no delay queue named "audit".*"default"/,
    );
  });

  it('an unknown option of the decorator', async () => {
    class Misspelt extends Consumer {}
    untyped('topic', { concurency: 3 })(Misspelt);
    expect(await faultOf([Misspelt])).toMatch(/Misspelt in RootTestModule.*concurency/);
  });

  it('a bad value of an option of the decorator', async () => {
    @DelayConsumer('topic', { concurrency: 0 })
    class None extends Consumer {}
    expect(await faultOf([None])).toMatch(/None in RootTestModule.*concurrency/);
  });

  it('a bad value of the decorator even where the role starts no consumers', async () => {
    @DelayConsumer('topic', { concurrency: 0 })
    class None extends Consumer {}
    const { message } = await bootErrorOf({ providers: [None], options: { role: 'producer' } });
    expect(message).toMatch(/None in RootTestModule.*concurrency/);
  });

  it.each([[''], ['with space'], [undefined], ['x'.repeat(129)]])('the topic %j', async (topic) => {
    class Named extends Consumer {}
    untyped(topic)(Named);
    const error = await bootErrorOf({ providers: [Named] });
    expect(error.code).toBe('INVALID_TOPIC');
    expect(error.message).toMatch(/Named in RootTestModule/);
    const idle = await bootErrorOf({ providers: [Named], options: { role: 'producer' } });
    expect(idle.code).toBe('INVALID_TOPIC');
  });

  it('a consumer without execute', async () => {
    class Empty {}
    untyped('topic')(Empty);
    expect(await faultOf([Empty])).toMatch(/Empty in RootTestModule.*execute/);
  });

  it('a consumer whose factory returned nothing', async () => {
    @DelayConsumer('topic')
    class Absent extends Consumer {}
    expect(await faultOf([{ provide: Absent, useFactory: () => undefined }])).toMatch(/Absent.*execute/);
  });

  it('a consumer that is replaced by something without execute', async () => {
    @DelayConsumer('topic')
    class Replaced extends Consumer {}
    const { message } = await bootErrorOf({
      providers: [Replaced],
      override: (builder) => builder.overrideProvider(Replaced).useValue({}),
    });
    expect(message).toMatch(/Replaced in RootTestModule.*execute/);
  });
});
