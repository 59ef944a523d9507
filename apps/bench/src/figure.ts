/** One figure of the benchmark, as `--json` writes it. */
export interface Figure {
  readonly name: string;
  readonly unit: string;
  readonly ours: number;
  /** Of whom it is compared with; `null` where nobody else is measured. */
  readonly peer: number | null;
  readonly peerName: string | null;
  /** `ours` / `peer`: above 1 is better for rates, below 1 for costs. */
  readonly ratio: number | null;
}

/** A figure beside that of a peer. */
export const against = (
  name: string,
  unit: string,
  ours: number,
  peerName: string,
  peer: number,
): Figure => ({ name, unit, ours, peer, peerName, ratio: ours / peer });

/** A figure that has no peer. */
export const alone = (name: string, unit: string, ours: number): Figure => ({
  name,
  unit,
  ours,
  peer: null,
  peerName: null,
  ratio: null,
});
