/**
 * The types of CustomResourceDefinitions.
 *
 * Source: api/openapi-spec/swagger.json of Kubernetes 1.36.3, in the notation that `mod.ts` explains.
 * tests/conformance/apiserver/notation.ts makes it, and a test compares the two.
 */

/** By name: flags of the type, and its fields. */
export const DEFINITIONS: Readonly<Record<string, string>> = {
  "apiextensions.CustomResourceColumnDefinition":
    "description:s format:s jsonPath:s* name:s* priority:i type:s*",
  "apiextensions.CustomResourceConversion": "strategy:s* webhook:WebhookConversion",
  "apiextensions.CustomResourceDefinition":
    "apiVersion:s kind:s metadata:meta.ObjectMeta spec:CustomResourceDefinitionSpec* status:CustomResourceDefinitionStatus",
  "apiextensions.CustomResourceDefinitionCondition":
    "lastTransitionTime:meta.Time message:s observedGeneration:l reason:s status:s* type:s*",
  "apiextensions.CustomResourceDefinitionNames":
    "categories:[s]= kind:s* listKind:s plural:s* shortNames:[s]= singular:s",
  "apiextensions.CustomResourceDefinitionSpec":
    "conversion:CustomResourceConversion group:s* names:CustomResourceDefinitionNames* preserveUnknownFields:b scope:s* versions:[CustomResourceDefinitionVersion]*=",
  "apiextensions.CustomResourceDefinitionStatus":
    "acceptedNames:CustomResourceDefinitionNames conditions:[CustomResourceDefinitionCondition]#type observedGeneration:l storedVersions:[s]=",
  "apiextensions.CustomResourceDefinitionVersion":
    "additionalPrinterColumns:[CustomResourceColumnDefinition]= deprecated:b deprecationWarning:s name:s* schema:CustomResourceValidation selectableFields:[SelectableField]= served:b* storage:b* subresources:CustomResourceSubresources",
  "apiextensions.CustomResourceSubresourceScale":
    "labelSelectorPath:s specReplicasPath:s* statusReplicasPath:s*",
  "apiextensions.CustomResourceSubresources":
    "scale:CustomResourceSubresourceScale status:CustomResourceSubresourceStatus",
  "apiextensions.CustomResourceValidation": "openAPIV3Schema:JSONSchemaProps",
  "apiextensions.ExternalDocumentation": "description:s url:s",
  "apiextensions.JSONSchemaProps":
    "$ref:s $schema:s additionalItems:JSONSchemaPropsOrBool additionalProperties:JSONSchemaPropsOrBool allOf:[JSONSchemaProps]= anyOf:[JSONSchemaProps]= default:JSON definitions:{JSONSchemaProps} dependencies:{JSONSchemaPropsOrStringArray} description:s enum:[JSON]= example:JSON exclusiveMaximum:b exclusiveMinimum:b externalDocs:ExternalDocumentation format:s id:s items:JSONSchemaPropsOrArray maxItems:l maxLength:l maxProperties:l maximum:d minItems:l minLength:l minProperties:l minimum:d multipleOf:d not:JSONSchemaProps nullable:b oneOf:[JSONSchemaProps]= pattern:s patternProperties:{JSONSchemaProps} properties:{JSONSchemaProps} required:[s]= title:s type:s uniqueItems:b x-kubernetes-embedded-resource:b x-kubernetes-int-or-string:b x-kubernetes-list-map-keys:[s]= x-kubernetes-list-type:s x-kubernetes-map-type:s x-kubernetes-preserve-unknown-fields:b x-kubernetes-validations:[ValidationRule]@rule#rule",
  "apiextensions.SelectableField": "jsonPath:s*",
  "apiextensions.ServiceReference": "name:s* namespace:s* path:s port:i",
  "apiextensions.ValidationRule":
    "fieldPath:s message:s messageExpression:s optionalOldSelf:b reason:s rule:s*",
  "apiextensions.WebhookClientConfig": "caBundle:y service:ServiceReference url:s",
  "apiextensions.WebhookConversion": "clientConfig:WebhookClientConfig conversionReviewVersions:[s]*=",
};
