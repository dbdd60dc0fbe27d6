package main

import (
	"context"
	"fmt"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// A kind of our own, as controller-gen would make it.
var widgets = schema.GroupVersionResource{Group: "clients.example.com", Version: "v1", Resource: "widgets"}

type Widget struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              WidgetSpec   `json:"spec,omitempty"`
	Status            WidgetStatus `json:"status,omitempty"`
}

type WidgetSpec struct {
	Size  int32  `json:"size,omitempty"`
	Color string `json:"color,omitempty"`
}

type WidgetStatus struct {
	Phase      string             `json:"phase,omitempty"`
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

type WidgetList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Widget `json:"items"`
}

func (w *Widget) DeepCopyObject() runtime.Object {
	copied := *w
	copied.ObjectMeta = *w.ObjectMeta.DeepCopy()
	copied.Status.Conditions = append([]metav1.Condition(nil), w.Status.Conditions...)
	return &copied
}

func (l *WidgetList) DeepCopyObject() runtime.Object {
	copied := *l
	copied.Items = make([]Widget, len(l.Items))
	for index := range l.Items {
		copied.Items[index] = *l.Items[index].DeepCopyObject().(*Widget)
	}
	return &copied
}

func addWidgets(scheme *runtime.Scheme) {
	version := widgets.GroupVersion()
	scheme.AddKnownTypes(version, &Widget{}, &WidgetList{})
	metav1.AddToGroupVersion(scheme, version)
}

// define makes the kind, once, and waits until it is established.
func (c *cluster) define(ctx context.Context) error {
	text := apiextensionsv1.JSONSchemaProps{Type: "string"}
	size, small, large := apiextensionsv1.JSONSchemaProps{Type: "integer"}, 1.0, 100.0
	size.Minimum, size.Maximum = &small, &large
	color := apiextensionsv1.JSONSchemaProps{Type: "string", Default: &apiextensionsv1.JSON{Raw: []byte(`"blue"`)}}
	object := func(properties map[string]apiextensionsv1.JSONSchemaProps) apiextensionsv1.JSONSchemaProps {
		return apiextensionsv1.JSONSchemaProps{Type: "object", Properties: properties}
	}
	condition := object(map[string]apiextensionsv1.JSONSchemaProps{
		"type": text, "status": text, "reason": text, "message": text, "lastTransitionTime": text,
		"observedGeneration": {Type: "integer"},
	})
	condition.Required = []string{"type"}
	listType := "map"
	conditions := apiextensionsv1.JSONSchemaProps{
		Type: "array", Items: &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &condition},
		XListType: &listType, XListMapKeys: []string{"type"},
	}
	spec := object(map[string]apiextensionsv1.JSONSchemaProps{"size": size, "color": color})
	spec.XValidations = apiextensionsv1.ValidationRules{{
		Rule: "!has(oldSelf.size) || self.size >= oldSelf.size", Message: "widgets do not shrink",
	}}
	root := object(map[string]apiextensionsv1.JSONSchemaProps{
		"spec": spec, "status": object(map[string]apiextensionsv1.JSONSchemaProps{"phase": text, "conditions": conditions}),
	})
	definition := &apiextensionsv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: "widgets.clients.example.com"},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: widgets.Group, Scope: apiextensionsv1.NamespaceScoped,
			Names: apiextensionsv1.CustomResourceDefinitionNames{
				Plural: "widgets", Singular: "widget", Kind: "Widget", ListKind: "WidgetList",
			},
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{
				Name: "v1", Served: true, Storage: true,
				Schema:       &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &root},
				Subresources: &apiextensionsv1.CustomResourceSubresources{Status: &apiextensionsv1.CustomResourceSubresourceStatus{}},
			}},
		},
	}
	definitions := c.apiextensions.ApiextensionsV1().CustomResourceDefinitions()
	if _, err := definitions.Create(ctx, definition, metav1.CreateOptions{}); err != nil {
		return err
	}
	return until(ctx, "the definition", func() (bool, string) {
		found, err := definitions.Get(ctx, definition.Name, metav1.GetOptions{})
		if err != nil {
			return false, err.Error()
		}
		for _, each := range found.Status.Conditions {
			if each.Type == apiextensionsv1.Established && each.Status == apiextensionsv1.ConditionTrue {
				_, err := c.dynamic.Resource(widgets).List(ctx, metav1.ListOptions{Limit: 1})
				return err == nil, fmt.Sprint(err)
			}
		}
		return false, fmt.Sprint(found.Status.Conditions)
	})
}
