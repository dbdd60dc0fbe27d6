/** Notes as release 0.1.0 wrote them, with the object that each was written for: later releases have to understand them. */

import type { JsonObject, KubeObject } from "../../../lib/model/object.ts";
import { annotations, kopf, status } from "../../../lib/settings/persistence/presets.ts";
import type { Persistence, ProgressRecord } from "../../../lib/settings/persistence/storage.ts";

/** A text that cannot be compressed much; always the same. */
export function noise(length: number, start = 1): string {
  let seed = start;
  return Array.from({ length }, () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return String.fromCharCode(33 + seed % 90);
  }).join("");
}

/** The state of an object, noted. */
export interface EarlierState {
  readonly name: string;
  readonly persistence: Persistence;
  /** The object without the note. */
  readonly body: KubeObject;
  /** Whether "status.phase" counted. */
  readonly withPhase: boolean;
  /** The note, as a merge patch. */
  readonly note: JsonObject;
  /** Whether the same state is noted in the same bytes today. Compressed notes are not compared: compressors differ. */
  readonly isSame: boolean;
}

const STATE = "last-handled-configuration";
const plain: KubeObject = {
  metadata: { labels: { app: "x" } },
  spec: { b: "ü", a: 1 },
  status: { phase: "Ready" },
};
const repeated: KubeObject = {
  metadata: {},
  spec: { text: "y".repeat(300_000), size: 1 },
  status: { phase: "Ready" },
};
const large: KubeObject = {
  metadata: {},
  spec: { size: 1, deep: { in: { text: noise(300_000), kept: 2 }, list: [noise(10_000)] } },
  status: { phase: "Ready" },
};
const names: KubeObject = {
  metadata: {},
  spec: {
    many: Object.fromEntries(Array.from({ length: 9000 }, (_, index) => [noise(25, index + 7), index])),
    few: { a: 1 },
  },
};
const crowded: KubeObject = {
  metadata: { annotations: { x: "x".repeat(230_000) } },
  spec: { text: "y" },
};

const inAnnotation = (text: string): JsonObject => ({
  metadata: { annotations: { [`lotse.dev/${STATE}`]: text } },
});
const inKopfs = (text: string): JsonObject => ({
  metadata: { annotations: { [`kopf.zalando.org/${STATE}`]: text } },
});
const inStatus = (text: string): JsonObject => ({ status: { lotse: { [STATE]: text } } });

const FIELDS = '"fields":[["status","phase"]],"format":1';

/** States that were handled. */
export const STATES: readonly EarlierState[] = [
  {
    name: "plain, in an annotation",
    persistence: annotations(),
    body: plain,
    withPhase: false,
    note: inAnnotation('{"metadata":{"labels":{"app":"x"}},"spec":{"a":1,"b":"ü"}}'),
    isSame: true,
  },
  {
    name: "with an extra field, in an annotation",
    persistence: annotations(),
    body: plain,
    withPhase: true,
    note: inAnnotation(
      `{"$lotse":{${FIELDS}},"metadata":{"labels":{"app":"x"}},"spec":{"a":1,"b":"ü"},"status":{"phase":"Ready"}}`,
    ),
    isSame: true,
  },
  {
    name: "plain, in the status",
    persistence: status(),
    body: plain,
    withPhase: false,
    note: inStatus('{"metadata":{"labels":{"app":"x"}},"spec":{"a":1,"b":"ü"}}'),
    isSame: true,
  },
  {
    name: "with an extra field, in the status",
    persistence: status(),
    body: plain,
    withPhase: true,
    note: inStatus(
      `{"$lotse":{${FIELDS}},"metadata":{"labels":{"app":"x"}},"spec":{"a":1,"b":"ü"},"status":{"phase":"Ready"}}`,
    ),
    isSame: true,
  },
  {
    name: "plain, as Kopf writes it",
    persistence: kopf(),
    body: plain,
    withPhase: false,
    note: inKopfs('{"spec":{"b":"\\u00fc","a":1},"metadata":{"labels":{"app":"x"}}}\n'),
    isSame: true,
  },
  {
    name: "with an extra field, as Kopf writes it",
    persistence: kopf(),
    body: plain,
    withPhase: true,
    note: inKopfs(
      '{"spec":{"b":"\\u00fc","a":1},"metadata":{"labels":{"app":"x"}},"status":{"phase":"Ready"}}\n',
    ),
    isSame: true,
  },
  {
    name: "compressed",
    persistence: annotations(),
    body: repeated,
    withPhase: false,
    note: inAnnotation(
      `{"$lotse":{"deflated":"7cGhDYAwFAXAXZ7GYLsO+QJH0gqg6e7sQe5upl91pM308620fcuoe6TlAQ${
        "A".repeat(384)
      }CAH8laHw==","format":1}}`,
    ),
    isSame: false,
  },
  {
    name: "compressed, with an extra field",
    persistence: annotations(),
    body: repeated,
    withPhase: true,
    note: inAnnotation(
      `{"$lotse":{"deflated":"7cmxDcIwFAXAXV6dhtZjsIEFlqCL9I0UsLI7zIHu2lupfdzSVur5GWmXLXMcMy1v${
        "A".repeat(386)
      }D4Izm31OzzVWkr+6PXSMt19Puvzi8=",${FIELDS}}}`,
    ),
    isSame: false,
  },
  {
    name: "an outline, with marks three levels deep",
    persistence: annotations(),
    body: large,
    withPhase: false,
    note: inAnnotation(
      '{"$lotse":{"format":1,"outline":"dY47DoAgEETvsrWFovi7DcJgiMQQoTCavbvsAWzmFW8ymZeiuXbQ+lJOsEIHJGE4JQvuQisVv8y+VcuonYKHNcQNxZDFRfRem8lug5771o0bMVd7Qezf7oFUrZJiDk890DHzBw=="}}',
    ),
    isSame: false,
  },
  {
    name: "an outline, with an extra field",
    persistence: annotations(),
    body: large,
    withPhase: true,
    note: inAnnotation(
      `{"$lotse":{"fields":[["status","phase"]],"format":1,"outline":"dY5RDsIwDEPvkm8+to6ObcfgBlnrQkWFqjVIg6l3X3MAfmwrL7J8UOLtAVoOKhlO3QNZPb5VBbvQQhLmKXRmHq03CHBM9UIpFmUJQ7B8c+vVTkPnx5VqbXSD0n+9L+RGjT6W+GsDek3C8imK85NLO9Id7L/adwI="}}`,
    ),
    isSame: false,
  },
  {
    name: "an outline, with the mark of an object",
    persistence: annotations(),
    body: names,
    withPhase: false,
    note: inAnnotation(
      '{"$lotse":{"format":1,"outline":"q1bKSSxKT1WyqlYqLkhNBtG5iXmVSlZK+WZJSZaWhhYWqYnmqWmpRoZKtbU6SkWpxSXIitNSy0FUopKVYW1tbS0A"}}',
    ),
    isSame: false,
  },
  {
    name: "a digest",
    persistence: annotations(),
    body: crowded,
    withPhase: false,
    note: inAnnotation('{"$lotse":{"digest":"87bae350f2743e40","format":1}}'),
    isSame: true,
  },
  {
    name: "a digest, with an extra field",
    persistence: annotations(),
    body: crowded,
    withPhase: true,
    note: inAnnotation(`{"$lotse":{"digest":"87bae350f2743e40",${FIELDS}}}`),
    isSame: true,
  },
];

/** A handler's progress, noted. */
export interface EarlierRecord {
  readonly name: string;
  readonly persistence: Persistence;
  readonly note: JsonObject;
  /** Without the members that Kopf's notes do not have. */
  readonly record: ProgressRecord;
}

/** The handler of all records: its id makes two names of Kopf's. */
export const HANDLER = `${"a".repeat(47)}/b`;

const record: ProgressRecord = {
  started: "2026-01-31T12:00:00.000Z",
  delayed: "2026-01-31T12:01:00.500Z",
  delay: 60.5,
  purpose: "update",
  retries: 2,
  success: false,
  failure: false,
  message: "ü",
  subrefs: ["fn/a"],
  digest: "0123456789abcdef",
};
const { delay: _delay, digest: _digest, ...kopfRecord } = record;
const KOPF_TEXT =
  '{"started":"2026-01-31T12:00:00.000000+00:00","delayed":"2026-01-31T12:01:00.500000+00:00","purpose":"update","retries":2,"success":false,"failure":false,"message":"\\u00fc","subrefs":["fn/a"]}';

/** Records of a handler that waits for its second retry. */
export const RECORDS: readonly EarlierRecord[] = [
  {
    name: "in an annotation",
    persistence: annotations(),
    note: {
      metadata: {
        annotations: {
          [`lotse.dev/${"a".repeat(47)}.b`]:
            '{"started":"2026-01-31T12:00:00.000Z","delayed":"2026-01-31T12:01:00.500Z","purpose":"update","retries":2,"success":false,"failure":false,"message":"ü","subrefs":["fn/a"],"digest":"0123456789abcdef","delay":60.5}',
        },
      },
    },
    record,
  },
  {
    name: "in the status",
    persistence: status(),
    note: { status: { lotse: { progress: { [HANDLER]: { ...record, stopped: null } } } } },
    record,
  },
  {
    name: "as Kopf writes it, under both of its names",
    persistence: kopf(),
    note: {
      metadata: {
        annotations: {
          [`kopf.zalando.org/${"a".repeat(47)}.b`]: KOPF_TEXT,
          [`kopf.zalando.org/${"a".repeat(39)}-Snmu4A`]: KOPF_TEXT,
        },
      },
    },
    record: kopfRecord,
  },
];
