/** xᵀSx for many packed symmetric S and one x: the products x_i x_j are formed once, zeros left out. */

import { packedSize } from './packed.js';

export class ContextForm {
  private readonly size: number;
  /** Non-zero x_i x_j, j ≤ i, doubled for j < i, and their places in a packed triangle. */
  private readonly products: Float64Array;
  private readonly places: Uint32Array;
  private terms = 0;

  /** @param x the vector; `load` reads it anew. */
  constructor(private readonly x: Float64Array) {
    this.size = packedSize(x.length);
    this.products = new Float64Array(this.size);
    this.places = new Uint32Array(this.size);
  }

  load(): void {
    const { x, products, places } = this;
    let terms = 0;
    for (let i = 0, place = 0; i < x.length; place += ++i) {
      const xi = x[i];
      if (xi === 0) continue;
      for (let j = 0; j < i; j++) {
        if (x[j] === 0) continue;
        places[terms] = place + j;
        products[terms++] = 2 * xi * x[j];
      }
      places[terms] = place + i;
      products[terms++] = xi * xi;
    }
    this.terms = terms;
  }

  /** xᵀSx of a positive semidefinite S that starts at `from`: at least 0, whatever the rounding. */
  value(s: Float64Array, from: number): number {
    const { products, places, terms, size } = this;
    let sum = 0;
    if (terms === size) for (let p = 0; p < size; p++) sum += s[from + p] * products[p];
    else for (let p = 0; p < terms; p++) sum += s[from + places[p]] * products[p];
    return Math.max(sum, 0);
  }
}
