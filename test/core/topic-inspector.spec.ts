import { DelayQueueError, DelayQueueRuntime, resolveProperties, type DelayEngine } from '@delay-queue/core';
import { memoryEngine } from '@delay-queue/memory';
import { describe, expect, it, vi } from 'vitest';
import { instance, watched } from './support/instance.js';
import { ManualClock } from './support/manual-clock.js';
import { RecordedLog } from './support/recorded-log.js';

const TOPIC = 'order:timeout';

describe('TopicInspector', () => {
  it('counts in total and by region', async () => {
    const { queue } = await instance({ regions: 3 });
    const items = Array.from({ length: 60 }, (_, i) => ({
      content: i,
      delay: i < 20 ? 0 : '1h',
      id: `m${i}`,
    }));
    await queue.sendMany(TOPIC, items);
    const counts = await queue.inspect(TOPIC).counts();
    expect(counts).toMatchObject({ waiting: 60, due: 20, running: 0, dead: 0, paused: false });
    expect(counts.regions.map(({ index }) => index)).toEqual([0, 1, 2]);
    expect(counts.regions.reduce((sum, { waiting }) => sum + waiting, 0)).toBe(60);
    expect(await queue.inspect(TOPIC).dueSoon('1m')).toBe(20);
    expect(await queue.inspect(TOPIC).dueSoon('2h')).toBe(60);
  });

  it('pages through all regions, each by due time, without gap or repetition', async () => {
    const { queue } = await instance({ regions: 4 });
    await queue.sendMany(
      TOPIC,
      Array.from({ length: 53 }, (_, i) => ({
        content: i,
        delay: 3_600_000 + ((i * 37) % 53) * 1_000,
        id: `m${i}`,
      })),
    );
    for (const limit of [1, 7, 53, 1_000]) {
      const seen: string[] = [];
      let from: number | undefined;
      do {
        const page = await queue
          .inspect(TOPIC)
          .page<number>('waiting', { limit, ...(from !== undefined && { from }) });
        expect(page.messages.length).toBeLessThanOrEqual(limit);
        expect(page.messages.length).toBeGreaterThan(0);
        seen.push(...page.messages.map(({ id, content }) => (expect(id).toBe(`m${content}`), id)));
        from = page.next;
      } while (from !== undefined);
      expect([...seen].sort()).toEqual(Array.from({ length: 53 }, (_, i) => `m${i}`).sort());
    }
    const { messages } = await queue.inspect(TOPIC).page('waiting', { limit: 1_000 });
    const falls = messages.filter(({ dueAt }, i) => dueAt < (messages[i - 1]?.dueAt ?? 0));
    expect(falls.length).toBeLessThanOrEqual(3); // only where the next region begins
    expect(await queue.inspect(TOPIC).page('dead')).toEqual({ messages: [] });
  });

  it('refuses bad input', async () => {
    const { queue } = await instance();
    const inspector = queue.inspect(TOPIC);
    await expect(inspector.page('done' as 'dead')).rejects.toMatchObject({ code: 'INVALID_OPTION' });
    await expect(inspector.page('dead', { limit: 0 })).rejects.toMatchObject({ code: 'INVALID_OPTION' });
    await expect(inspector.page('dead', { from: -1 })).rejects.toMatchObject({ code: 'INVALID_OPTION' });
    await expect(inspector.page('dead', { form: 1 } as object)).rejects.toThrow(/did you mean 'from'/);
    await expect(inspector.redrive(['a', ''])).rejects.toMatchObject({ code: 'INVALID_ID', index: 1 });
    await expect(inspector.discard('a' as unknown as [])).rejects.toMatchObject({ code: 'INVALID_OPTION' });
    await expect(inspector.dueSoon('soon')).rejects.toMatchObject({ code: 'INVALID_DELAY' });
    expect(() => queue.inspect('no topic')).toThrow(DelayQueueError);
  });

  it('redrives and discards dead letters, pauses and resumes', async () => {
    const { runtime, queue } = await instance({ retry: { attempts: 1 } });
    let fail = true;
    const ran: string[] = [];
    runtime
      .consume(TOPIC, (_content, { id }) => {
        if (fail) throw new Error('broken');
        ran.push(id);
      })
      .start();
    const inspector = queue.inspect(TOPIC);
    await queue.sendMany(
      TOPIC,
      ['a', 'b', 'c'].map((id) => ({ id, content: id, delay: 0 })),
    );
    await vi.waitFor(async () => expect((await inspector.counts()).dead).toBe(3));
    expect((await inspector.page('dead')).messages[0]).toMatchObject({
      state: 'dead',
      reason: 'broken',
      failures: 1,
    });
    await inspector.pause();
    expect((await inspector.counts()).paused).toBe(true);
    fail = false;
    expect(await inspector.redrive(['a', 'nobody', 'b', 'a'])).toEqual([true, false, true, true]);
    expect(await inspector.discard(['c', 'a'])).toEqual([true, false]);
    expect(await inspector.counts()).toMatchObject({ waiting: 2, dead: 0 });
    expect(ran).toEqual([]);
    await inspector.resume();
    await vi.waitFor(() => expect([...ran].sort()).toEqual(['a', 'b']));
  });

  it('rejects when the store is silent', async () => {
    const clock = new ManualClock();
    const { queue, engine } = await instance({ clock });
    engine.tap = () => new Promise(() => undefined);
    const counts = watched(queue.inspect(TOPIC).counts());
    await clock.tick(5_000);
    expect(counts.error).toMatchObject({ code: 'TIMEOUT' });
  });

  it('is refused, like find, where the engine has none', async () => {
    const runtime = new DelayQueueRuntime(
      resolveProperties({
        logger: new RecordedLog(),
        engine: (context) => {
          const engine: DelayEngine = memoryEngine()(context);
          return new Proxy(engine, {
            get: (target, name) => {
              if (name === 'inspector') return undefined;
              const member: unknown = Reflect.get(target, name);
              return typeof member === 'function' ? (member.bind(target) as unknown) : member;
            },
          });
        },
      }),
    );
    await runtime.open();
    expect(() => runtime.context.inspect(TOPIC)).toThrow(/no inspector/);
    await expect(runtime.context.find(TOPIC, 'x')).rejects.toMatchObject({ code: 'UNSUPPORTED' });
    await runtime.close();
  });
});
