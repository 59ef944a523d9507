/** A door that a handler stands at until the test opens it. */
export class Gate {
  readonly reached: Promise<void>;
  readonly #opened: Promise<void>;
  #arrive: () => void = () => undefined;
  #open: () => void = () => undefined;

  constructor() {
    this.reached = new Promise((resolve) => (this.#arrive = resolve));
    this.#opened = new Promise((resolve) => (this.#open = resolve));
  }

  /** For the handler: says that it is here, and waits. */
  async pass(): Promise<void> {
    this.#arrive();
    await this.#opened;
  }

  open(): void {
    this.#open();
  }
}
