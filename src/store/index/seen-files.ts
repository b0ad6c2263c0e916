/** The files that need no further look on disk for one request. */

export class SeenFiles {
  /** In the order of the list, as far as its first page may need them. */
  readonly #checked: readonly string[];
  #at = 0;
  readonly #others = new Set<string>();

  constructor(checked: readonly string[]) {
    this.#checked = checked;
  }

  /** A path is looked for where it is expected: as a key of a set it costs half as much as a look at its file. */
  has(path: string): boolean {
    const at = this.#checked.indexOf(path, this.#at);
    if (at >= 0) this.#at = at + 1;
    return at >= 0 || (this.#others.size > 0 && this.#others.has(path));
  }
  add(path: string): void {
    this.#others.add(path);
  }
}
