/** Resolves `reached` with the last of so many hits. */
export class Countdown {
  readonly reached: Promise<void>;
  private resolve: () => void = () => undefined;

  constructor(private left: number) {
    this.reached = new Promise((resolve) => (this.resolve = resolve));
  }

  hit(): void {
    if (--this.left === 0) this.resolve();
  }
}
