import { Injectable, Scope } from '@nestjs/common';
import { DelayConsumer, DelayQueueError } from '@delay-queue/nestjs';
import { describe, expect, it } from 'vitest';
import { bootErrorOf } from './support/boot.js';
import { IdleConsumer as Consumer, faultOf } from './support/fault-of.js';

describe('what Nest or TypeScript would lose silently stops the boot:', () => {
  @Injectable()
  class Dependency {}

  it('an undecorated base class with constructor parameters', async () => {
    class Base {
      constructor(readonly dependency: Dependency) {}
      execute() {}
    }
    @DelayConsumer('topic')
    class Heir extends Base {}
    expect(await faultOf([Dependency, Heir])).toMatch(/Heir.*constructor of Base.*@Injectable\(\)/);
  });

  it('which is fine where the heir has a constructor, or a class between them calls it', async () => {
    class Base {
      constructor(readonly dependency: Dependency) {}
      execute() {}
    }
    class Between extends Base {
      constructor() {
        super(new Dependency());
      }
    }
    @DelayConsumer('one')
    class WithConstructor extends Base {
      // oxlint-disable-next-line no-useless-constructor -- it carries the types
      constructor(dependency: Dependency) {
        super(dependency);
      }
    }
    @DelayConsumer('two')
    class BehindBetween extends Between {}
    const providers = [Dependency, WithConstructor, BehindBetween];
    await expect(bootErrorOf({ providers })).rejects.toThrow('the application started');
  });

  it('@Injectable above a @DelayConsumer with a scope', async () => {
    @Injectable()
    @DelayConsumer('topic', { scope: Scope.REQUEST })
    class Scoped extends Consumer {}
    expect(await faultOf([Scoped])).toMatch(/Scoped.*scope.*lost/);
  });

  it('@Injectable on the heir of a scoped consumer', async () => {
    @DelayConsumer('topic', { scope: Scope.REQUEST })
    class Scoped extends Consumer {}
    @Injectable()
    class Heir extends Scoped {}
    expect(await faultOf([Heir])).toMatch(/Heir.*scope.*lost/);
  });

  it('topic() on a request-scoped plain task', async () => {
    @Injectable({ scope: Scope.REQUEST })
    class Task extends Consumer {
      topic() {
        return 'topic';
      }
    }
    expect(await faultOf([Task])).toMatch(/Task.*decorate the class with @DelayConsumer/);
  });

  it('execute as a property of a request-scoped class', async () => {
    @DelayConsumer('topic', { scope: Scope.REQUEST })
    class Arrow {
      execute = () => undefined;
    }
    expect(await faultOf([Arrow])).toMatch(/Arrow.*as a method of its class/);
  });

  it('a topic() that says nothing, or something else than the decorator', async () => {
    class Silent extends Consumer {
      topic() {
        return undefined as unknown as string;
      }
    }
    @DelayConsumer('one')
    class Torn extends Consumer {
      topic() {
        return 'two';
      }
    }
    expect(await faultOf([Silent])).toMatch(/Silent.*topic\(\) returned undefined/);
    expect(await faultOf([Torn])).toMatch(/Torn.*"one".*"two"/);
  });
});

describe('the decorator itself refuses', () => {
  it('to be stacked', () => {
    const declare = () => {
      @DelayConsumer('one')
      @DelayConsumer('two')
      class Both extends Consumer {}
      return Both;
    };
    expect(declare).toThrow(DelayQueueError);
    expect(declare).toThrow(/Both has two @DelayConsumer/);
  });

  it('a scope that contradicts @Injectable', () => {
    const declare = () => {
      @DelayConsumer('one', { scope: Scope.REQUEST })
      @Injectable({ scope: Scope.TRANSIENT })
      class Torn extends Consumer {}
      return Torn;
    };
    expect(declare).toThrow(/Torn has one scope in @Injectable and another/);
  });

  it('a class without execute, when it is compiled', () => {
    class NoTask {}
    // @ts-expect-error a consumer implements ConsumerTask
    DelayConsumer('topic')(NoTask);
    expect(NoTask).toBeDefined();
  });
});
