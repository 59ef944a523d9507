import { parse, View } from 'vega';
import { compile, type TopLevelSpec } from 'vega-lite';

/** A plot, described as Vega-Lite does. */
export type Plot = TopLevelSpec;

/** The plot as an SVG document. */
export function draw(plot: Plot): Promise<string> {
  return new View(parse(compile({ background: 'white', padding: 10, ...plot }).spec), {
    renderer: 'none',
  }).toSVG();
}
