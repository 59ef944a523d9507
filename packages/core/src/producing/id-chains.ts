/** What can stand in a chain. */
export interface ChainLink<Self> {
  readonly id: string;
  readonly settled: boolean;
  /** Who comes after it. */
  follower: Self | undefined;
}

/**
 * Lets requests of one id leave one after the other: the next one only when the engine is through with the one
 * before, so that a repeated older replace never overwrites a newer one, and a batch never holds an id twice.
 */
export class IdChains<Link extends ChainLink<Link>> {
  private readonly last = new Map<string, Link>();

  /** Joins the chain of its id; `true`: it may leave at once. */
  enter(link: Link): boolean {
    const before = this.last.get(link.id);
    this.last.set(link.id, link);
    if (before === undefined) return true;
    before.follower = link;
    return false;
  }

  /** Leaves the chain; returns who may leave now. Those that have settled meanwhile are passed over. */
  leave(link: Link): Link | undefined {
    let next = link.follower;
    let end = link;
    while (next?.settled === true) [end, next] = [next, next.follower];
    if (next === undefined && this.last.get(link.id) === end) this.last.delete(link.id);
    return next;
  }
}
