/**
 * What names, labels and annotations may look like, and how Kubernetes complains.
 *
 * Source: k8s.io/apimachinery, pkg/util/validation.
 */

import type { Cause } from "../causes.ts";
import type { Kind } from "../kinds.ts";

const LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const RFC_1035 = /^[a-z]([-a-z0-9]*[a-z0-9])?$/;
const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const QUALIFIED = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;
const LABEL_VALUE = /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/;
const ANNOTATIONS_LIMIT = 256 * 1024;

const SUBDOMAIN_FAULT =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const LABEL_FAULT =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const RFC_1035_FAULT =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
const QUALIFIED_FAULT =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const LABEL_VALUE_FAULT =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

/** Kinds whose names may hold almost anything. */
const PATH_SEGMENT_GROUPS = ["rbac.authorization.k8s.io"];
const LABEL_KINDS = ["Namespace"];
const RFC_1035_KINDS = ["Service"];

/** Says what is wrong with an object's name. */
export function nameCauses(kind: Pick<Kind, "kind" | "group">, name: string): Cause[] {
  return nameFaults(kind, name).map((fault) => ({
    reason: "FieldValueInvalid",
    message: `Invalid value: ${JSON.stringify(name)}: ${fault}`,
    field: "metadata.name",
  }));
}

function nameFaults({ kind, group }: Pick<Kind, "kind" | "group">, name: string): string[] {
  if (PATH_SEGMENT_GROUPS.includes(group)) {
    if (name === "." || name === "..") return [`may not be '${name}'`];
    return ["/", "%"].filter((char) => name.includes(char)).map((char) => `may not contain '${char}'`);
  }
  if (group === "" && LABEL_KINDS.includes(kind)) return tooLong(name, 63) ?? fault(LABEL, name, LABEL_FAULT);
  if (group === "" && RFC_1035_KINDS.includes(kind)) {
    return tooLong(name, 63) ?? fault(RFC_1035, name, RFC_1035_FAULT);
  }
  return tooLong(name, 253) ?? fault(SUBDOMAIN, name, SUBDOMAIN_FAULT);
}

function tooLong(text: string, limit: number): string[] | undefined {
  return text.length > limit ? [`must be no more than ${limit} bytes`] : undefined;
}

function fault(pattern: RegExp, text: string, message: string): string[] {
  return pattern.test(text) ? [] : [message];
}

/** Says what is wrong with a key such as `example.com/name`; undefined if nothing is. */
export function qualifiedNameFault(key: string): string | undefined {
  const slash = key.indexOf("/");
  const prefix = slash < 0 ? undefined : key.slice(0, slash);
  const name = key.slice(slash + 1);
  if (name.includes("/")) {
    return "a qualified name must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')";
  }
  if (prefix === "") return "prefix part must be non-empty";
  if (prefix !== undefined && !SUBDOMAIN.test(prefix)) return `prefix part ${SUBDOMAIN_FAULT}`;
  if (name === "") return "name part must be non-empty";
  if (name.length > 63) return "name part must be no more than 63 bytes";
  return QUALIFIED.test(name) ? undefined : QUALIFIED_FAULT;
}

/** Says what is wrong with a label's value; undefined if nothing is. */
export function labelValueFault(value: string): string | undefined {
  if (value.length > 63) return "must be no more than 63 bytes";
  return LABEL_VALUE.test(value) ? undefined : LABEL_VALUE_FAULT;
}

/** Says what is wrong with labels. */
export function labelCauses(labels: Readonly<Record<string, string>> = {}): Cause[] {
  const causes: Cause[] = [];
  const add = (value: string, message: string) =>
    causes.push({
      reason: "FieldValueInvalid",
      message: `Invalid value: ${JSON.stringify(value)}: ${message}`,
      field: "metadata.labels",
    });
  for (const [key, value] of Object.entries(labels)) {
    const wrong = qualifiedNameFault(key);
    if (wrong !== undefined) add(key, wrong);
    const unfit = labelValueFault(value);
    if (unfit !== undefined) add(value, unfit);
  }
  return causes;
}

/** Says what is wrong with annotations. */
export function annotationCauses(annotations: Readonly<Record<string, string>> = {}): Cause[] {
  const causes: Cause[] = [];
  let size = 0;
  for (const [key, value] of Object.entries(annotations)) {
    size += key.length + value.length;
    const wrong = qualifiedNameFault(key.toLowerCase());
    if (wrong === undefined) continue;
    causes.push({
      reason: "FieldValueInvalid",
      message: `Invalid value: ${JSON.stringify(key)}: ${wrong}`,
      field: "metadata.annotations",
    });
  }
  if (size > ANNOTATIONS_LIMIT) {
    causes.push({
      reason: "FieldValueTooLong",
      message: `Too long: may not be more than ${ANNOTATIONS_LIMIT} bytes`,
      field: "metadata.annotations",
    });
  }
  return causes;
}
