/** How many messages a store holds, in whatever state, and how many it may hold. */
export class MessageBudget {
  #used = 0;

  constructor(readonly limit: number) {}

  get used(): number {
    return this.#used;
  }

  get full(): boolean {
    return this.#used >= this.limit;
  }

  take(): void {
    this.#used++;
  }

  giveBack(): void {
    this.#used--;
  }
}
