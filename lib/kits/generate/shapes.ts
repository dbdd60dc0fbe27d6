/**
 * Types of objects by their texts, so that each is spelt once: definitions that embed a Pod's template have thousands of
 * lines in common, within one version and between all of them.
 *
 * While types are written, a sign stands for each block in braces. In the end, blocks that stand in several places have a
 * name, and the others take the place of their sign.
 */

/** The ends of a sign; "=" before the second one stands for the body, where a block is declared. Texts have neither. */
const OPEN = "\u0001";
const CLOSE = "\u0002";
const SIGN = new RegExp(`${OPEN}(\\d+)(=?)${CLOSE}`, "g");
const ALONE = new RegExp(`^${OPEN}(\\d+)${CLOSE}$`);

/** A block of fewer lines is not worth a name: one field. */
const LEAST_LINES = 4;

/** A type in braces. */
interface Block {
  /** With the signs of the blocks in it. */
  readonly text: string;
  /** A name that would fit. */
  readonly hint: string;
  /** With the lines of the blocks in it. */
  readonly lines: number;
  uses: number;
  name?: string;
}

/** All blocks of a module. */
export class Shapes {
  readonly #blocks: Block[] = [];
  readonly #numbers = new Map<string, number>();

  /** Notes a block. Returns its sign, which is the same for equal blocks. @param hint A name that would fit. */
  add(text: string, hint: string): string {
    let number = this.#numbers.get(text);
    if (number === undefined) {
      const inner = [...text.matchAll(SIGN)].map(([, each]) => this.#blocks[Number(each)]?.lines ?? 0);
      const lines = inner.reduce((sum, each) => sum + each - 1, text.split("\n").length);
      number = this.#blocks.push({ text, hint, lines, uses: 0 }) - 1;
      this.#numbers.set(text, number);
      this.#use(text);
    }
    return `${OPEN}${number}${CLOSE}`;
  }

  /**
   * Names a block, if a type is one block and has none. Returns the declaration of the name: the body of an interface, or the
   * name that the block has already.
   */
  name(sign: string, name: string): { readonly body: string } | { readonly alias: string } {
    const block = this.#blockOf(sign);
    if (block === undefined) {
      this.#use(sign);
      return { alias: sign };
    }
    if (block.name !== undefined) return { alias: block.name };
    block.name = name;
    return { body: sign.replace(CLOSE, `=${CLOSE}`) };
  }

  /** Notes that a text, which is in no block, has signs. */
  #use(text: string): void {
    for (const [, number] of text.matchAll(SIGN)) {
      const block = this.#blocks[Number(number)];
      if (block !== undefined) block.uses++;
    }
  }

  #blockOf(sign: string): Block | undefined {
    const [, number] = ALONE.exec(sign) ?? [];
    return number === undefined ? undefined : this.#blocks[Number(number)];
  }

  /**
   * Returns a text without signs, and declarations of blocks that stand in several places.
   *
   * @param taken Names that are in use.
   */
  render(
    text: string,
    taken: ReadonlySet<string>,
  ): { readonly text: string; readonly declarations: string[] } {
    const names = new Set(taken);
    const shared = this.#blocks.filter((block) =>
      block.name === undefined && block.uses > 1 && block.lines >= LEAST_LINES
    );
    for (const block of shared) {
      block.name = freeName(block.hint, names);
      names.add(block.name);
    }
    const declarations = shared.map((block) =>
      `export interface ${block.name} ${this.#expand(block.text)}\n`
    );
    return { text: this.#expand(text), declarations };
  }

  #expand(text: string): string {
    return text.split("\n").map((line) => {
      const indent = /^ */.exec(line)?.[0] ?? "";
      return line.replace(SIGN, (_, number: string, isBody: string) => {
        const block = this.#blocks[Number(number)];
        if (block === undefined) return "unknown";
        if (block.name !== undefined && isBody === "") return block.name;
        return this.#expand(block.text).replaceAll("\n", `\n${indent}`);
      });
    }).join("\n");
  }
}

function freeName(hint: string, taken: ReadonlySet<string>): string {
  const base = /^[A-Za-z_$]/.test(hint) ? hint : `Type${hint}`;
  for (let number = 1;; number++) {
    const name = number === 1 ? base : `${base}${number}`;
    if (!taken.has(name)) return name;
  }
}
