/**
 * Kubernetes' named formats: `format.dns1123Label().validate(self)`, and the keys of JSON patches.
 *
 * Source: Kubernetes documentation, "Common Expression Language in Kubernetes", "Kubernetes format library"; k8s.io/apiserver,
 * pkg/cel/library/format.go.
 */

import {
  dns1035Errors,
  dnsLabelErrors,
  dnsSubdomainErrors,
  labelValueErrors,
  qualifiedNameErrors,
} from "../../names.ts";
import { formatCheck } from "../../schema/formats.ts";
import type { Environment } from "../environment.ts";
import { type LibraryValue, Optional } from "../values.ts";

class Format implements LibraryValue {
  static readonly TYPE = "kubernetes.NamedFormat";
  readonly typeName = Format.TYPE;
  readonly name: string;
  readonly errors: (text: string) => readonly string[];

  constructor(name: string, errors: Format["errors"]) {
    this.name = name;
    this.errors = errors;
  }

  equals(other: unknown): boolean {
    return other instanceof Format && other.name === this.name;
  }
}

/** A name of which a rest follows: a dash at its end does not count. */
function prefix(errors: (text: string) => readonly string[]): (text: string) => readonly string[] {
  return (text) => errors(text.length > 1 && text.endsWith("-") ? `${text.slice(0, -1)}a` : text);
}

function checked(format: string, error: string): (text: string) => readonly string[] {
  const check = formatCheck(format);
  return (text) => check === undefined || check(text) ? [] : [error];
}

const FORMATS: Readonly<Record<string, (text: string) => readonly string[]>> = {
  dns1123Label: dnsLabelErrors,
  dns1123Subdomain: dnsSubdomainErrors,
  dns1035Label: dns1035Errors,
  qualifiedName: qualifiedNameErrors,
  dns1123LabelPrefix: prefix(dnsLabelErrors),
  dns1123SubdomainPrefix: prefix(dnsSubdomainErrors),
  dns1035LabelPrefix: prefix(dns1035Errors),
  labelValue: labelValueErrors,
  uri: (text) =>
    formatCheck("uri")?.(text) === false ? [`parse ${JSON.stringify(text)}: invalid URI for request`] : [],
  uuid: checked("uuid", "does not match the UUID format"),
  byte: checked("byte", "invalid base64"),
  date: checked("date", "invalid date"),
  datetime: checked("datetime", "invalid datetime"),
};

/** Adds them. */
export function addFormatLibrary(environment: Environment): void {
  environment.object(Format.TYPE, new Map());
  const formats = new Map(Object.entries(FORMATS).map(([name, errors]) => [name, new Format(name, errors)]));
  for (const [name, format] of formats) {
    environment.function(`format.${name}(): ${Format.TYPE}`, () => format);
  }
  environment.function(`format.named(string): optional<${Format.TYPE}>`, (name: string) => {
    const format = formats.get(name);
    return format === undefined ? Optional.NONE : new Optional(format);
  });
  environment.member(
    `${Format.TYPE}.validate(string): optional<list<string>>`,
    (format: Format, text: string) => {
      const errors = format.errors(text);
      return errors.length === 0 ? Optional.NONE : new Optional([...errors]);
    },
  );
}
