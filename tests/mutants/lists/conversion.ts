/** Breaks in conversions between the versions of a kind: their answers, and the way to them in definitions. */

import { breaksOf, type Mutant } from "../mutant.ts";

const DEFINITION = ["tests/engines/definitions/conversion_test.ts"];

const mutants: Mutant[] = [
  ...breaksOf("lib/handlers/admission/conversion.ts", [
    ["Conversions.#convert", "group === wantedGroup &&", ""],
    ["Conversions.#convert", 'from && callConversion("toHub", from, object)', "undefined"],
    ["Conversions.#convert", 'to && callConversion("fromHub", to, atHub)', "undefined"],
    ["Conversions.#convert", 'callConversion("fromHub", to, atHub)', 'callConversion("fromHub", to, object)'],
    ["callConversion", "if (isPromise) Promise.resolve(parts).catch(() => {});", ""],
    [
      "callConversion",
      "if (!isPromise && isObject(parts)) return { name, parts };",
      "return { name, parts: parts ?? {} };",
    ],
    ["merge", "if (isObject(part)) return part;", "return part as JsonObject;"],
    ["merge", 'typeof text !== "string"', "false"],
    [
      "merge",
      "const metadata = { ...object.metadata };",
      "const metadata = { ...object.metadata, ...parts.metadata };",
    ],
    ["viewOf", "= cloneJson(object);", "= object;"],
    ["parse", 'if (typeof uid !== "string" || uid === "")', 'if (typeof uid !== "string")'],
    ["Conversions.answer", "convertedObjects: [], result", "convertedObjects: objects, result"],
  ]),
  ...breaksOf("lib/engines/definitions/conversion.ts", [
    ["conversionBy", "service: { port: 443, ...service }", "service"],
    ["writeConversions", "isEqualJson(live.spec?.conversion, conversion)", "false"],
    ["writeConversions", "live === undefined ||", "live !== undefined &&"],
    ["writeConversions", "url: null, service: null, caBundle: null, ", ""],
    ["ignoreMissing", "error.status === 404", "true"],
  ], DEFINITION),
];

export default mutants;
