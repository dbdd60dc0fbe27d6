/**
 * Takes out of a Bun executable what is nothing but zeros: 1.8 MB.
 *
 * Bun's compiler puts the program into one segment with the runtime's data, behind the memory that begins with zeros (`.bss`),
 * which therefore has to be in the file. Two segments need none of that: the second one takes the place of a note for debuggers.
 * The page elf(5) of Linux describes the headers, and docs/decisions/0025-executables.md tells what this is worth.
 */

/**
 * Returns the executable without the zeros, or as it was where it does not look like one that Bun 1.4 makes for Linux.
 *
 * NB: `bun_script.ts` takes this function's text: it must not use anything outside of itself.
 */
export function withoutGap(file: Uint8Array): Uint8Array {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  if (file.length < 64 || view.getUint32(0) !== 0x7f454c46 || view.getUint16(4) !== 0x0201) return file;
  const long = (at: number) => Number(view.getBigUint64(at, true));
  const table = (at: number, size: number, count: number) =>
    Array.from({ length: view.getUint16(count, true) }, (_, index) => long(at) + index * size);
  const segments = table(32, 56, 56);
  const sections = table(40, 64, 60);
  const names = long((sections[view.getUint16(62, true)] ?? 0) + 24);
  const named = (name: string) =>
    sections.find((at) => {
      const begin = names + view.getUint32(at, true);
      return new TextDecoder().decode(file.subarray(begin, begin + name.length + 1)) === `${name}\0`;
    });
  const [LOAD, NOTE] = [1, 4];
  const data = segments.findLast((at) => view.getUint32(at, true) === LOAD);
  const note = segments.at(-1);
  const zeros = named(".bss");
  const program = named(".bun");
  if (data === undefined || note === undefined || zeros === undefined || program === undefined) return file;
  const isOneSegment = long(data + 32) === long(data + 40) && view.getUint32(note, true) === NOTE;
  const [begin, end, align] = [long(zeros + 24), long(program + 24), long(data + 48)];
  const moved = Math.ceil(begin / align) * align + end % align;
  if (!isOneSegment || moved >= end || file.subarray(begin, end).some((byte) => byte !== 0)) return file;

  const made = new Uint8Array(file.length - (end - moved));
  made.set(file.subarray(0, moved));
  made.set(file.subarray(end), moved);
  const out = new DataView(made.buffer);
  const write = (at: number, values: readonly number[]) =>
    values.forEach((value, index) => out.setBigUint64(at + 8 * index, BigInt(value), true));
  write(data + 32, [begin - long(data + 8), long(zeros + 16) + long(zeros + 32) - long(data + 16)]);
  out.setUint32(note, LOAD, true);
  out.setUint32(note + 4, view.getUint32(data + 4, true), true);
  const [address, size] = [long(program + 16), long(program + 32)];
  write(note + 8, [moved, address, address, size, size, align]);
  write(40, [long(40) - (end - moved)]);
  for (const at of sections) {
    if (long(at + 24) >= end) write(at - (end - moved) + 24, [long(at + 24) - (end - moved)]);
  }
  return made;
}
