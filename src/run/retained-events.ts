/** Log indices of the events that one replica retained, in a list that grows. */
export class RetainedEvents {
  private list = new Uint32Array(16);
  private length = 0;

  add(event: number): void {
    if (this.length === this.list.length) {
      const longer = new Uint32Array(this.list.length * 2);
      longer.set(this.list);
      this.list = longer;
    }
    this.list[this.length++] = event;
  }

  events(): Uint32Array {
    return this.list.slice(0, this.length);
  }
}
