/**
 * The header fields of a response.
 *
 * A head is looked through once: its form is checked, and the fields that decide about the body are picked out. Texts for all names and
 * values are made for whoever asks, which is hardly anybody: making them would cost half of reading a response.
 */

const FIELD_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** Names, in lower case, of the fields that are picked out. */
type Picked = "connection" | "content-encoding" | "content-length" | "transfer-encoding" | "warning";

/** The lengths of these names: names of other lengths need not be compared. */
const LENGTHS: ReadonlySet<number> = new Set([7, 10, 14, 16, 17]);

/** The fields of one head. Several values of a name are joined with ", ". */
export class ResponseFields {
  connection: string | undefined;
  contentEncoding: string | undefined;
  contentLength: string | undefined;
  transferEncoding: string | undefined;
  warning: string | undefined;
  readonly #head: string;
  readonly #start: number;
  #all: Readonly<Record<string, string>> | undefined;

  /**
   * @param head The head without the empty line at its end. @param start Where its first field begins.
   * @throws {Error} If a line is no field.
   */
  constructor(head: string, start: number) {
    this.#head = head;
    this.#start = start;
    eachField(head, start, (name, at, end) => {
      if (!FIELD_NAME.test(name)) throw protocolError("it sends a header that is none");
      if (LENGTHS.has(name.length)) this.#pick(name.toLowerCase(), head.slice(at, end).trim());
    });
  }

  /** All of them, by their names in lower case. */
  get all(): Readonly<Record<string, string>> {
    if (this.#all !== undefined) return this.#all;
    const all: Record<string, string> = Object.create(null);
    eachField(this.#head, this.#start, (name, at, end) => {
      const key = name.toLowerCase();
      all[key] = joined(all[key], this.#head.slice(at, end).trim());
    });
    return this.#all = all;
  }

  #pick(name: string, value: string): void {
    switch (name as Picked) { // or another one of that length, which is passed over
      case "connection":
        this.connection = joined(this.connection, value);
        return;
      case "content-encoding":
        this.contentEncoding = joined(this.contentEncoding, value);
        return;
      case "content-length":
        this.contentLength = joined(this.contentLength, value);
        return;
      case "transfer-encoding":
        this.transferEncoding = joined(this.transferEncoding, value);
        return;
      case "warning":
        this.warning = joined(this.warning, value);
    }
  }
}

/** Calls with each line's name, and where its value begins and ends; of a line without a name, with "". */
function eachField(
  head: string,
  start: number,
  take: (name: string, at: number, end: number) => void,
): void {
  for (let at = start; at < head.length;) {
    const found = head.indexOf("\r\n", at);
    const end = found < 0 ? head.length : found;
    const colon = head.indexOf(":", at);
    take(colon < 0 || colon > end ? "" : head.slice(at, colon), colon + 1, end);
    at = end + 2;
  }
}

function joined(before: string | undefined, value: string): string {
  return before === undefined ? value : `${before}, ${value}`;
}

/** Returns the error of a server that does not speak HTTP as it should. */
export function protocolError(what: string): Error {
  return Object.assign(new Error(`The server breaks the protocol: ${what}`), { code: "HPE_INVALID" });
}
