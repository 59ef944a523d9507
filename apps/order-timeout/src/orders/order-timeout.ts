/** Topic of the messages that end unpaid orders. Content and id are the order number. */
export const ORDER_TIMEOUT = 'order:timeout';

/** Token of the time an order may stay unpaid. */
export const ORDER_TIMEOUT_DELAY = Symbol('ORDER_TIMEOUT_DELAY');
