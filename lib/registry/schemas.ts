/**
 * The options of `resource()` beside names: schemas, and the other contents of a CustomResourceDefinition.
 *
 * Only declared here. `lib/engines/definitions/` makes definitions of it; without schemas no code looks at any of it.
 * Source: Standard Schema and Standard JSON Schema (https://standardschema.dev), which zod 4.2, ArkType 2.2 and, by
 * `toStandardJsonSchema()`, valibot implement.
 */

import type { ObjectMeta } from "../model/object.ts";

/** A validator of any library that follows Standard JSON Schema. */
export interface SchemaLike<Output = unknown> {
  /** The part that libraries agree on. */
  readonly "~standard": StandardJsonSchema<Output>;
}

/** The part of Standard JSON Schema that is needed here. */
export interface StandardJsonSchema<Output = unknown> {
  /** The version of the standard. */
  readonly version: 1;
  /** The library's name, such as "zod". */
  readonly vendor: string;
  /** For the compiler only. */
  readonly types?: { readonly input: unknown; readonly output: Output } | undefined;
  /** Makes JSON Schema of it. */
  readonly jsonSchema: JsonSchemaConverter;
}

/** Makes JSON Schema of the input of a validator, and of its output. */
export interface JsonSchemaConverter {
  /** The schema of sent values. May throw where there is no JSON Schema for it. */
  input(options: JsonSchemaOptions): Record<string, unknown>;
  /** The schema of values that are read. May throw where there is no JSON Schema for it. */
  output(options: JsonSchemaOptions): Record<string, unknown>;
}

/** Which dialect of JSON Schema is wanted. */
export interface JsonSchemaOptions {
  /** Such as "draft-2020-12". */
  readonly target: "draft-2020-12" | "draft-07" | "openapi-3.0";
  /** For the library alone. */
  readonly libraryOptions?: Record<string, unknown> | undefined;
}

/** The type that handlers read of a kind with this schema: defaults are filled in, as the API server does it. */
export type OutputOf<Schema> = Schema extends SchemaLike ? NonNullable<Schema["~standard"]["types"]>["output"]
  : Record<string, unknown>;

/** The type that is sent of a kind with this schema: fields with a default may be left out. */
export type InputOf<Schema> = Schema extends SchemaLike ? NonNullable<Schema["~standard"]["types"]>["input"]
  : unknown;

/** A definition's part about one version of a kind. */
export interface VersionOptions {
  /** The schema of the spec, which users write. Without it the server takes anything. */
  readonly spec?: SchemaLike;
  /** The schema of the status, which the operator writes; it makes the status a subresource. */
  readonly status?: SchemaLike;
  /** The columns of `kubectl get`: titles, with dotted paths such as "spec.engine". Their types are taken from the schemas. */
  readonly columns?: Readonly<Record<string, string | ColumnOptions>>;
  /** Lets `kubectl scale` and autoscalers change the number of replicas. */
  readonly scale?: ScaleOptions;
  /** Dotted paths of texts, integers and booleans that field selectors may use, such as "spec.engine". */
  readonly selectable?: readonly string[];
  /** Rules that must hold between fields, in CEL. */
  readonly rules?: readonly RuleOptions[];
}

/** A further version of a kind. */
export interface FurtherVersionOptions extends VersionOptions {
  /** Whether the API server answers for it. Default: true. */
  readonly served?: boolean;
  /** Whether objects are stored in it, instead of in the kind's own `version`. Default: false. */
  readonly storage?: boolean;
  /** Warns clients that use it; a text is the warning. Default: false. */
  readonly deprecated?: boolean | string;
  /** How its objects become objects of the kind's own version, and back. Default: only their `apiVersion` changes. */
  readonly convert?: Conversion;
}

/**
 * How objects of a further version become objects of the kind's own version (the "hub"), and back.
 *
 * The API server asks whenever a client reads or writes objects in another version than the stored one. So both functions must
 * keep everything: a value that one version has no field for belongs into an annotation. Source: Kubernetes, "Webhook
 * conversion".
 */
export interface Conversion<Spec = unknown, Status = unknown, HubSpec = unknown, HubStatus = unknown> {
  /** Returns the parts that are different in the kind's own version. Parts that are not returned stay as they are. */
  toHub(object: VersionedObject<Spec, Status>): ConvertedParts<HubSpec, HubStatus>;
  /** Returns the parts that are different in the further version. Parts that are not returned stay as they are. */
  fromHub(object: VersionedObject<HubSpec, HubStatus>): ConvertedParts<Spec, Status>;
}

/** An object of one version of a kind, as it is to be converted. A copy: it may be changed. */
export interface VersionedObject<Spec = unknown, Status = unknown> {
  /** Such as "example.com/v1beta1". */
  readonly apiVersion: string;
  /** Such as "Database". */
  readonly kind: string;
  /** Name, labels, annotations and so on. */
  readonly metadata: ObjectMeta;
  /** As it is in this version. */
  readonly spec: Spec;
  /** As it is in this version; undefined until it was written. */
  readonly status: Status | undefined;
}

/** The parts of an object that a conversion changes. */
export interface ConvertedParts<Spec = unknown, Status = unknown> {
  /** The whole spec. */
  readonly spec?: Spec;
  /** The whole status. */
  readonly status?: Status;
  /** All labels, all annotations: the API server lets no other field of the metadata change. */
  readonly metadata?: Pick<ObjectMeta, "labels" | "annotations">;
}

/** A column of `kubectl get`. */
export interface ColumnOptions {
  /** Dotted, such as "spec.engine", or a JSONPath that begins with a dot. */
  readonly path: string;
  /** Default: as the schema says; "string" where the schema has no type. */
  readonly type?: "boolean" | "date" | "integer" | "number" | "string";
  /** Such as "int32" or "byte". */
  readonly format?: string;
  /** For people. */
  readonly description?: string;
  /** Columns above 0 are shown with `-o wide` only. Default: 0. */
  readonly priority?: number;
}

/** Where the scale subresource finds its numbers: dotted paths. */
export interface ScaleOptions {
  /** How many are wanted, such as "spec.replicas". */
  readonly spec: string;
  /** How many there are, such as "status.replicas". */
  readonly status: string;
  /** Where the selector of the pods stands as a text, for autoscalers. */
  readonly selector?: string;
}

/** A rule in CEL. Source: Kubernetes, "Validation rules". */
export interface RuleOptions {
  /** Such as "self.spec.replicas <= 5". `self` is the value at `at`. */
  readonly rule: string;
  /** The dotted path of `self`. Default: the whole object. */
  readonly at?: string;
  /** The message for users. */
  readonly message?: string;
  /** The same in CEL. */
  readonly messageExpression?: string;
  /** Default: "FieldValueInvalid". */
  readonly reason?:
    | "FieldValueInvalid"
    | "FieldValueForbidden"
    | "FieldValueRequired"
    | "FieldValueDuplicate";
  /** Which field is to blame, from `at` on, such as ".replicas". */
  readonly fieldPath?: string;
  /** Whether rules with `oldSelf` are asked on creation too. */
  readonly optionalOldSelf?: boolean;
}
