import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DelayQueueContext } from '@delay-queue/nestjs';
import { memoryEngine } from '@delay-queue/memory';
import { OrdersService } from '../../apps/order-timeout/src/orders/orders.service.js';
import { ShopOverHttp } from './shop-over-http.js';

let shop: ShopOverHttp;
beforeEach(async () => {
  shop = await ShopOverHttp.open();
});
afterEach(() => shop.app.close());

describe('an order', () => {
  it('is cancelled when its time is up, its stock released and its customer told', async () => {
    const no = await shop.orderTea(3);
    expect(shop.tea()).toBe(17);
    await shop.clock.advance('29m');
    expect((await shop.get(`/orders/${no}`)).body.order?.status).toBe('unpaid');
    await shop.clock.advance('1m');
    expect((await shop.get(`/orders/${no}`)).body.order?.status).toBe('cancelled');
    expect(await shop.story(no)).toEqual([
      'created',
      'time is up, attempt 1',
      'stock released',
      'customer told',
      'cancelled',
    ]);
    expect(shop.tea()).toBe(20);
    expect(shop.channel.delivered).toEqual([no]);
  });

  it('that is paid in time stays paid, and its timer never runs', async () => {
    const no = await shop.orderTea(2);
    await shop.clock.advance('29m');
    const paid = await shop.post(`/orders/${no}/pay`);
    expect(paid).toEqual({ status: 200, body: { outcome: 'paid', timer: 'cancelled' } });
    await shop.clock.advance('1h');
    expect(await shop.story(no)).toEqual(['created', 'paid', 'timer: cancelled']);
    expect(shop.tea()).toBe(18);
  });

  it('can be paid once', async () => {
    const no = await shop.orderTea();
    await shop.post(`/orders/${no}/pay`);
    expect(await shop.post(`/orders/${no}/pay`)).toEqual({ status: 200, body: { outcome: 'already-paid' } });
  });

  it('cannot be paid any more once it is cancelled', async () => {
    const no = await shop.orderTea();
    await shop.clock.advance('30m');
    expect(await shop.post(`/orders/${no}/pay`)).toEqual({ status: 409, body: { outcome: 'too-late' } });
    expect((await shop.get(`/orders/${no}`)).body.order?.status).toBe('cancelled');
    expect(shop.tea()).toBe(20);
  });

  it('stays paid when the timer was not stopped', async () => {
    const no = await shop.orderTea();
    shop.app.get(OrdersService).recordPayment(no);
    await shop.clock.advance('30m');
    expect(await shop.story(no)).toEqual(['created', 'paid', 'time is up, attempt 1', 'already-paid']);
    expect(shop.tea()).toBe(19);
    expect(shop.channel.delivered).toEqual([]);
  });

  it('whose notice fails is finished by the retry, its stock released once', async () => {
    const no = await shop.orderTea(5);
    shop.channel.failures = 1;
    await shop.clock.advance('30m');
    expect(shop.channel.delivered).toEqual([]);
    await shop.clock.advance('2m');
    expect(await shop.story(no)).toEqual([
      'created',
      'time is up, attempt 1',
      'stock released',
      'time is up, attempt 2',
      'customer told',
      'cancelled-before',
    ]);
    expect(shop.tea()).toBe(20);
    expect(shop.channel.delivered).toEqual([no]);
  });

  it('whose message comes twice at once releases its stock once and tells its customer once', async () => {
    const no = await shop.orderTea(5);
    await shop.app.get(DelayQueueContext).send('order:timeout', no, '30m', { id: `${no}:copy` });
    await shop.clock.advance('30m');
    const story = await shop.story(no);
    expect(story.filter((what) => what === 'time is up, attempt 1')).toHaveLength(2);
    expect(story.filter((what) => what === 'stock released')).toHaveLength(1);
    expect(shop.tea()).toBe(20);
    expect(shop.channel.delivered).toEqual([no]);
  });

  it('that never came does nothing when its message comes', async () => {
    await shop.app.get(DelayQueueContext).send('order:timeout', 'none', '30m', { id: 'none' });
    await shop.clock.advance('30m');
    expect(await shop.get('/orders/none')).toEqual({ status: 404, body: { outcome: 'unknown-order' } });
    expect(shop.channel.delivered).toEqual([]);
    expect(await shop.app.get(DelayQueueContext).find('order:timeout', 'none')).toBeUndefined();
  });
});

describe('the HTTP API', () => {
  it('answers a new order with its number', async () => {
    const { status, body } = await shop.post('/orders', { item: 'coffee', quantity: 2 });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      outcome: 'created',
      order: { item: 'coffee', quantity: 2, status: 'unpaid' },
    });
  });

  it('refuses an order for more than there is, and leaves no timer behind', async () => {
    expect(await shop.post('/orders', { item: 'tea', quantity: 21 })).toEqual({
      status: 409,
      body: { outcome: 'out-of-stock' },
    });
    const { waiting } = await shop.app.get(DelayQueueContext).inspect('order:timeout').counts();
    expect(waiting).toBe(0);
    expect(shop.tea()).toBe(20);
  });

  it.each([[{}], [{ item: 'tea' }], [{ item: 'tea', quantity: 0 }], [{ item: 'tea', quantity: 1.5 }], [[]]])(
    'refuses %j as no order',
    async (body) => {
      const answer = await shop.post('/orders', body);
      expect(answer.status).toBe(400);
      expect(answer.body.outcome).toBe('invalid-request');
    },
  );

  it('answers 503 when the queue takes no message, and makes no order', async () => {
    await shop.app.close();
    shop = await ShopOverHttp.open(memoryEngine({ maxMessages: 1 }));
    await shop.orderTea();
    expect(await shop.post('/orders', { item: 'tea', quantity: 1 })).toEqual({
      status: 503,
      body: { outcome: 'try-again-later', code: 'STORE_FULL' },
    });
    expect(shop.tea()).toBe(19);
  });

  it('knows no order that was not made', async () => {
    expect(await shop.post('/orders/none/pay')).toEqual({ status: 404, body: { outcome: 'unknown-order' } });
    expect(await shop.get('/orders/none')).toEqual({ status: 404, body: { outcome: 'unknown-order' } });
  });
});
