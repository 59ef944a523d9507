import {
  Body,
  Catch,
  ParseIntPipe,
  UseFilters,
  UseGuards,
  UseInterceptors,
  UsePipes,
  type CanActivate,
  type ExceptionFilter,
  type NestInterceptor,
} from '@nestjs/common';
import { DelayConsumer } from '@delay-queue/nestjs';
import { describe, expect, it } from 'vitest';
import { bootErrorOf } from './support/boot.js';
import { IdleConsumer as Consumer, faultOf } from './support/fault-of.js';

describe('enhancers do not run on consumers yet, so the application does not start with', () => {
  class Guard implements CanActivate {
    canActivate() {
      return false;
    }
  }
  class Interceptor implements NestInterceptor {
    intercept(): never {
      throw new Error('never runs');
    }
  }
  @Catch()
  class Filter implements ExceptionFilter {
    catch() {}
  }

  it.each([
    ['guards', UseGuards(Guard)],
    ['interceptors', UseInterceptors(Interceptor)],
    ['pipes', UsePipes(ParseIntPipe)],
    ['exception filters', UseFilters(Filter)],
  ])('%s on the class, on execute, on a base, or on a value', async (kind, decorator) => {
    @DelayConsumer('topic')
    @decorator
    class OnClass extends Consumer {}
    class Heir extends OnClass {}
    @DelayConsumer('topic')
    class OnMethod {
      @decorator
      execute() {}
    }
    class MethodHeir extends OnMethod {}
    class Plain extends OnClass {
      topic() {
        return 'topic';
      }
    }
    const expected = new RegExp(`${kind} are not supported on consumers yet`);
    expect(await faultOf([OnClass])).toMatch(expected);
    expect(await faultOf([Heir])).toMatch(expected);
    expect(await faultOf([OnMethod])).toMatch(expected);
    expect(await faultOf([MethodHeir])).toMatch(expected);
    expect(await faultOf([Plain])).toMatch(expected);
    expect(await faultOf([{ provide: 'value', useValue: new OnClass() }])).toMatch(expected);
  });

  it('parameter decorators on execute', async () => {
    @DelayConsumer('topic')
    class Piped {
      execute(@Body(ParseIntPipe) content: number) {
        return content;
      }
    }
    expect(await faultOf([Piped])).toMatch(/parameter decorators on execute/);
  });

  it('but with an execute that overrides a guarded one, as everywhere in Nest', async () => {
    class Guarded {
      @UseGuards(Guard)
      execute() {}
    }
    @DelayConsumer('topic')
    class Free extends Guarded {
      override execute() {}
    }
    await expect(bootErrorOf({ providers: [Free] })).rejects.toThrow('the application started');
  });
});
