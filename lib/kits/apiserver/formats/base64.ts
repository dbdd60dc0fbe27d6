/** Bytes in JSON: base64, as Go reads and writes it. Source: Go, encoding/base64, decodeQuantum. */

const TIDY = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const ALPHABET = /[A-Za-z0-9+/]/;

/** Returns base64 without line breaks, and without stray bits at its end; or the place of its fault. */
export function tidyBase64(text: string): string | number {
  if (TIDY.test(text)) return tidyEnd(text);
  const fault = faultIn(text);
  return fault ?? tidyEnd(text.replaceAll(/[\r\n]/g, ""));
}

function tidyEnd(text: string): string {
  return text.endsWith("=") ? text.slice(0, -4) + btoa(atob(text.slice(-4))) : text;
}

function faultIn(text: string): number | undefined {
  let count = 0;
  for (let i = 0; i < text.length; i++) {
    const char = text.charAt(i);
    if (isBreak(char)) continue;
    if (ALPHABET.test(char)) {
      count = (count + 1) % 4;
    } else {
      return char === "=" && count > 1 ? faultInPadding(text, i + 1, count) : i;
    }
  }
  return count === 0 ? undefined : text.length - count;
}

/** `count`: how many characters stand before the padding, of which one has been read. */
function faultInPadding(text: string, from: number, count: number): number | undefined {
  let next = skipBreaks(text, from);
  if (count === 2) {
    if (next === text.length) return next;
    if (text.charAt(next) !== "=") return next - 1;
    next = skipBreaks(text, next + 1);
  }
  return next === text.length ? undefined : next;
}

function skipBreaks(text: string, from: number): number {
  let next = from;
  while (isBreak(text.charAt(next))) next++;
  return next;
}

function isBreak(char: string): boolean {
  return char === "\n" || char === "\r";
}
