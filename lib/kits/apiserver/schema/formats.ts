/**
 * `format`: the formats that Kubernetes checks in CRDs, by its own rules; unknown ones are ignored.
 *
 * Source: k8s.io/apiextensions-apiserver, pkg/apiserver/validation/formats.go, and k8s.io/kube-openapi,
 * pkg/validation/strfmt. They are laxer than JSON Schema's, and `date-time` may be spelt `datetime`.
 */

type Check = (text: string) => boolean;

const HEX = "[0-9a-f]";
const CREDIT_CARD =
  /^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35\d{3})\d{11})$/;

const CHECKS: Readonly<Record<string, Check>> = {
  bsonobjectid: (text) => /^[0-9a-fA-F]{24}$/.test(text),
  byte: isBase64,
  cidr: isCidr,
  creditcard: (text) => CREDIT_CARD.test(text.replace(/\D/g, "")) && hasLuhnSum(text.replace(/\D/g, "")),
  date: isDate,
  datetime: isDateTime,
  duration: isDuration,
  email: (text) => /^(?:[^<>]*<)?[^\s@<>]+@[^\s@<>]+>?$/.test(text),
  hexcolor: (text) => /^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/.test(text),
  hostname: isHostname,
  ipv4: (text) => isIpv4(text) || (text.includes(".") && isIpv6(text)),
  ipv6: (text) => isIpv6(text),
  isbn: (text) => isIsbn10(text) || isIsbn13(text),
  isbn10: isIsbn10,
  isbn13: isIsbn13,
  k8slongname: (text) =>
    text.length <= 253 && text.split(".").every((part) => /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(part)),
  k8sshortname: (text) => text.length <= 63 && /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(text),
  mac: (text) =>
    /^([0-9a-f]{2}([:-]))(?:[0-9a-f]{2}\2){4,6}[0-9a-f]{2}$|^(?:[0-9a-f]{4}\.){2,3}[0-9a-f]{4}$/i.test(text),
  password: () => true,
  rgbcolor: isRgbColor,
  ssn: (text) => /^\d{3}[- ]?\d{2}[- ]?\d{4}$/.test(text),
  uri: isUri,
  uuid: uuid(`${HEX}{4}`, `${HEX}{4}`),
  uuid3: uuid(`3${HEX}{3}`, `${HEX}{4}`),
  uuid4: uuid(`4${HEX}{3}`, `[89ab]${HEX}{3}`),
  uuid5: uuid(`5${HEX}{3}`, `[89ab]${HEX}{3}`),
};

/** Returns the check of a text format, by either spelling; undefined if Kubernetes ignores the format. */
export function formatCheck(format: string): Check | undefined {
  const name = format.replaceAll("-", "");
  return Object.hasOwn(CHECKS, name) ? CHECKS[name] : undefined;
}

function uuid(third: string, fourth: string): Check {
  const pattern = new RegExp(`^${HEX}{8}-?${HEX}{4}-?${third}-?${fourth}-?${HEX}{12}$`, "i");
  return (text) => pattern.test(text);
}

function isDate(text: string): boolean {
  const found = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  if (found === null) return false;
  const [year, month, day] = found.slice(1).map(Number) as [number, number, number]; // three groups of digits
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const days = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1];
  return days !== undefined && day >= 1 && day <= days;
}

function isDateTime(text: string): boolean {
  const [date, time] = text.toLowerCase().split("t");
  if (date === undefined || time === undefined || !isDate(date)) return false;
  const found = /^(\d{2}):(\d{2}):(\d{2})(.\d+)?(z|([+-]\d{2}:\d{2}))$/.exec(time);
  return found !== null && found[1]! <= "23" && found[2]! <= "59" && found[3]! <= "59";
}

function isDuration(text: string): boolean {
  if (/^[+-]?(0|((\d+(?:\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h))+)$/.test(text)) return true;
  return /(^|\D)\d+\s*(ns|nano|us|micro|ms|milli|s\b|sec|m\b|min|h\b|hr|hour|d\b|day|w\b|week)/i.test(text);
}

function isBase64(text: string): boolean {
  return /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/.test(text);
}

function isHostname(text: string): boolean {
  if (text.length > 255 || text.split(".").some((part) => part.length > 63)) return false;
  return /^[a-zA-Z0-9\p{S}\p{L}](?:[a-zA-Z0-9\-.\p{S}\p{L}]*[a-zA-Z0-9\p{S}\p{L}])?$/u.test(text) &&
    !text.includes("..");
}

function isIpv4(text: string): boolean {
  const parts = text.split(".");
  return parts.length === 4 && parts.every((part) => /^\d{1,}$/.test(part) && Number(part) <= 255);
}

function isIpv6(text: string): boolean {
  if (!text.includes(":")) return false;
  const tail = text.slice(text.lastIndexOf(":") + 1);
  const whole = tail.includes(".") ? (isIpv4(tail) ? text.slice(0, -tail.length) + "0:0" : "x") : text;
  const halves = whole.split("::");
  if (halves.length > 2) return false;
  const groups = halves.flatMap((half) => (half === "" ? [] : half.split(":")));
  if (!groups.every((group) => /^[0-9a-fA-F]{1,4}$/.test(group))) return false;
  return halves.length === 2 ? groups.length <= 7 : groups.length === 8;
}

function isCidr(text: string): boolean {
  const [address, bits, rest] = text.split("/");
  if (address === undefined || bits === undefined || rest !== undefined || !/^\d{1,3}$/.test(bits)) {
    return false;
  }
  return isIpv4(address) ? Number(bits) <= 32 : isIpv6(address) && Number(bits) <= 128;
}

function isUri(text: string): boolean {
  return /^[a-zA-Z][a-zA-Z0-9+.-]*:[^\s]+$/.test(text) || (text.startsWith("/") && !/[\s]/.test(text));
}

function isRgbColor(text: string): boolean {
  const found = /^rgb\(\s*(\d{1,3})\s*,\s*(\d{1,3})\s*,\s*(\d{1,3})\s*\)$/.exec(text);
  return found !== null && found.slice(1).every((part) => Number(part) <= 255 && !/^0\d/.test(part));
}

function isIsbn10(text: string): boolean {
  const digits = text.replace(/[\s-]+/g, "");
  if (!/^(?:[0-9]{9}X|[0-9]{10})$/.test(digits)) return false;
  const sum = [...digits].reduce(
    (total, digit, index) => total + (index + 1) * (digit === "X" ? 10 : Number(digit)),
    0,
  );
  return sum % 11 === 0;
}

function isIsbn13(text: string): boolean {
  const digits = text.replace(/[\s-]+/g, "");
  if (!/^[0-9]{13}$/.test(digits)) return false;
  return [...digits].reduce((total, digit, index) => total + (index % 2 === 0 ? 1 : 3) * Number(digit), 0) %
      10 === 0;
}

function hasLuhnSum(digits: string): boolean {
  const sum = [...digits].reverse().reduce((total, digit, index) => {
    const value = index % 2 === 0 ? Number(digit) : Number(digit) * 2;
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return sum % 10 === 0;
}
