package main

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var version = schema.GroupVersion{Group: "bench.lotse.dev", Version: "v1"}

// Item is the kind that everything here is about. The copies are written as controller-gen writes them.
type Item struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   ItemSpec   `json:"spec"`
	Status ItemStatus `json:"status,omitempty"`
}

type ItemSpec struct {
	Payload string `json:"payload"`
	Color   string `json:"color,omitempty"`
	// Template is there in large objects, whose payload is empty.
	Template *corev1.PodTemplateSpec `json:"template,omitempty"`
}

type ItemStatus struct {
	State string `json:"state,omitempty"`
}

type ItemList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []Item `json:"items"`
}

func (in *Item) DeepCopyInto(out *Item) {
	*out = *in
	in.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	out.Spec.Template = in.Spec.Template.DeepCopy()
}

func (in *Item) DeepCopyObject() runtime.Object {
	out := new(Item)
	in.DeepCopyInto(out)
	return out
}

func (in *ItemList) DeepCopyObject() runtime.Object {
	out := &ItemList{TypeMeta: in.TypeMeta, Items: make([]Item, len(in.Items))}
	in.ListMeta.DeepCopyInto(&out.ListMeta)
	for index := range in.Items {
		in.Items[index].DeepCopyInto(&out.Items[index])
	}
	return out
}
