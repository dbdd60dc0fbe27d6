import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { withoutGap } from "../../lib/cli/executable_gap.ts";

const PAGE = 4096;
/** Where the parts of the file lie. */
const [DATA, ZEROS, PROGRAM, NAMES, SECTIONS] = [PAGE, PAGE + 64, 5 * PAGE, 6 * PAGE, 6 * PAGE + 64] as const;
const BASE = 0x400000;
const TEXT = "export default 1;";

/** Returns an executable as Bun makes them: data, memory that begins with zeros, and the program, in one segment. */
function executable(): { file: Uint8Array<ArrayBuffer>; view: DataView } {
  const file = new Uint8Array(SECTIONS + 4 * 64);
  const view = new DataView(file.buffer);
  const write = (at: number, values: readonly number[]) =>
    values.forEach((value, index) => view.setBigUint64(at + 8 * index, BigInt(value), true));
  file.set([0x7f, 0x45, 0x4c, 0x46, 2, 1]);
  write(32, [64, SECTIONS]);
  [64, 56, 2, 64, 4, 3].forEach((value, index) => view.setUint16(52 + 2 * index, value, true));
  const size = PROGRAM + TEXT.length - DATA;
  view.setUint32(64, 1, true); // LOAD
  view.setUint32(68, 6, true); // to be read and written
  write(72, [DATA, BASE + DATA, BASE + DATA, size, size, PAGE]);
  view.setUint32(120, 4, true); // NOTE
  file.fill(7, DATA, ZEROS);
  file.set(new TextEncoder().encode(TEXT), PROGRAM);
  file.set(new TextEncoder().encode("\0.bss\0.bun\0.names\0"), NAMES);
  const sections = [
    [1, ZEROS, PROGRAM - ZEROS],
    [6, PROGRAM, TEXT.length],
    [11, NAMES, 18],
  ] as const;
  for (const [index, [name, offset, bytes]] of sections.entries()) {
    const at = SECTIONS + 64 * (index + 1);
    view.setUint32(at, name, true);
    write(at + 16, [BASE + offset, offset, bytes]);
  }
  return { file, view };
}

describe("withoutGap()", () => {
  it("takes the zeros out, and loads the program to where it was by a segment of its own", () => {
    const made = withoutGap(executable().file);
    const cut = PROGRAM - 2 * PAGE;
    assert.equal(made.length, SECTIONS + 4 * 64 - cut);
    const view = new DataView(made.buffer);
    const read = (at: number, count: number) =>
      Array.from({ length: count }, (_, index) => Number(view.getBigUint64(at + 8 * index, true)));
    assert.deepEqual(read(72, 5), [DATA, BASE + DATA, BASE + DATA, ZEROS - DATA, PROGRAM - DATA]);
    assert.deepEqual([view.getUint32(120, true), view.getUint32(124, true)], [1, 6]);
    const [offset = 0, address, , size = 0] = read(128, 6);
    assert.equal(address, BASE + PROGRAM);
    assert.equal(offset % PAGE, PROGRAM % PAGE);
    assert.equal(new TextDecoder().decode(made.subarray(offset, offset + size)), TEXT);
    const [, sections = 0] = read(32, 2);
    assert.deepEqual(read(sections + 2 * 64 + 24, 2), [offset, TEXT.length]);
    assert.equal(withoutGap(made), made);
  });

  it("leaves alone what is none of Bun's executables for Linux", () => {
    const changes: Record<string, (made: ReturnType<typeof executable>) => void> = {
      "another system's": ({ view }) => view.setUint32(0, 0xcffaedfe),
      "without a note": ({ view }) => view.setUint32(120, 6, true),
      "with something in between": ({ file }) => void file.fill(1, PROGRAM - 1, PROGRAM),
      "without a program": ({ file }) => void file.fill(0x78, NAMES + 7, NAMES + 10),
    };
    for (const [name, change] of Object.entries(changes)) {
      const made = executable();
      change(made);
      assert.equal(withoutGap(made.file), made.file, name);
    }
    const short = new Uint8Array(10);
    assert.equal(withoutGap(short), short);
  });
});
