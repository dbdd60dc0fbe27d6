/**
 * The types of CustomResourceDefinitions and of APIServices.
 *
 * Source: api/openapi-spec/swagger.json of Kubernetes 1.36.3, and the struct tags in its Go sources, in the notation that
 * `mod.ts` explains. tests/conformance/apiserver/notation.ts makes it, and a test compares the two.
 */

/** One type in a line: its name, flags of the type, and its fields. */
export const DEFINITIONS = `
apiextensions.CustomResourceColumnDefinition description:s/4 format:s/3 jsonPath:s*/6 name:s*/1 priority:i/5 type:s*/2
apiextensions.CustomResourceConversion strategy:s*/1 webhook:WebhookConversion/2?
apiextensions.CustomResourceDefinition apiVersion:s kind:s metadata:meta.ObjectMeta/1 spec:CustomResourceDefinitionSpec*/2 status:CustomResourceDefinitionStatus/3
apiextensions.CustomResourceDefinitionCondition lastTransitionTime:meta.Time/3 message:s/5 observedGeneration:l/6 reason:s/4 status:s*/2 type:s*/1
apiextensions.CustomResourceDefinitionNames categories:[s]=/6 kind:s*/4 listKind:s/5 plural:s*/1 shortNames:[s]=/3 singular:s/2
apiextensions.CustomResourceDefinitionSpec conversion:CustomResourceConversion/9? group:s*/1 names:CustomResourceDefinitionNames*/3 preserveUnknownFields:b/10 scope:s*/4 versions:[CustomResourceDefinitionVersion]*=/7
apiextensions.CustomResourceDefinitionStatus acceptedNames:CustomResourceDefinitionNames/2 conditions:[CustomResourceDefinitionCondition]#type/1 observedGeneration:l/4 storedVersions:[s]=/3
apiextensions.CustomResourceDefinitionVersion additionalPrinterColumns:[CustomResourceColumnDefinition]=/6 deprecated:b/7 deprecationWarning:s/8? name:s*/1 schema:CustomResourceValidation/4? selectableFields:[SelectableField]=/9 served:b*/2 storage:b*/3 subresources:CustomResourceSubresources/5?
apiextensions.CustomResourceSubresourceScale labelSelectorPath:s/3? specReplicasPath:s*/1 statusReplicasPath:s*/2
apiextensions.CustomResourceSubresources scale:CustomResourceSubresourceScale/2? status:CustomResourceSubresourceStatus/1?
apiextensions.CustomResourceValidation openAPIV3Schema:JSONSchemaProps/1?
apiextensions.ExternalDocumentation description:s/1 url:s/2
apiextensions.JSONSchemaProps $ref:s/3? $schema:s/2 additionalItems:JSONSchemaPropsOrBool/33? additionalProperties:JSONSchemaPropsOrBool/30? allOf:[JSONSchemaProps]=/25 anyOf:[JSONSchemaProps]=/27 default:JSON/8? definitions:{JSONSchemaProps}/34 dependencies:{JSONSchemaPropsOrStringArray}/32 description:s/4 enum:[JSON]=/20 example:JSON/36? exclusiveMaximum:b/10 exclusiveMinimum:b/12 externalDocs:ExternalDocumentation/35? format:s/6 id:s/1 items:JSONSchemaPropsOrArray/24? maxItems:l/16? maxLength:l/13? maxProperties:l/21? maximum:d/9? minItems:l/17? minLength:l/14? minProperties:l/22? minimum:d/11? multipleOf:d/19? not:JSONSchemaProps/28? nullable:b/37 oneOf:[JSONSchemaProps]=/26 pattern:s/15 patternProperties:{JSONSchemaProps}/31 properties:{JSONSchemaProps}/29 required:[s]=/23 title:s/7 type:s/5 uniqueItems:b/18 x-kubernetes-embedded-resource:b/39 x-kubernetes-int-or-string:b/40 x-kubernetes-list-map-keys:[s]=/41 x-kubernetes-list-type:s/42? x-kubernetes-map-type:s/43? x-kubernetes-preserve-unknown-fields:b/38? x-kubernetes-validations:[ValidationRule]@rule#rule/44
apiextensions.SelectableField jsonPath:s*/1
apiextensions.ServiceReference name:s*/2 namespace:s*/1 path:s/3? port:i/4?
apiextensions.ValidationRule fieldPath:s/5 message:s/2 messageExpression:s/3 optionalOldSelf:b/6? reason:s/4? rule:s*/1
apiextensions.WebhookClientConfig caBundle:y/2 service:ServiceReference/1? url:s/3?
apiextensions.WebhookConversion clientConfig:WebhookClientConfig/2? conversionReviewVersions:[s]*=/3
apiregistration.APIService apiVersion:s kind:s metadata:meta.ObjectMeta/1 spec:APIServiceSpec/2 status:APIServiceStatus/3
apiregistration.APIServiceCondition lastTransitionTime:meta.Time/3 message:s/5 reason:s/4 status:s*/2 type:s*/1
apiregistration.APIServiceSpec caBundle:y=/5 group:s/2 groupPriorityMinimum:i*/7 insecureSkipTLSVerify:b/4 service:ServiceReference/1? version:s/3 versionPriority:i*/8
apiregistration.APIServiceStatus conditions:[APIServiceCondition]@type#type/1
apiregistration.ServiceReference name:s/2 namespace:s/1 port:i/3?
`;
