package main

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Item is the kind of the benchmark, as controller-gen would make it.
type Item struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              ItemSpec `json:"spec,omitempty"`
}

type ItemSpec struct {
	Payload string `json:"payload,omitempty"`
}

type ItemList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Item `json:"items"`
}

func (i *Item) DeepCopyObject() runtime.Object {
	copied := *i
	copied.ObjectMeta = *i.ObjectMeta.DeepCopy()
	return &copied
}

func (l *ItemList) DeepCopyObject() runtime.Object {
	copied := *l
	copied.Items = make([]Item, len(l.Items))
	for index := range l.Items {
		copied.Items[index] = *l.Items[index].DeepCopyObject().(*Item)
	}
	return &copied
}

func addItems(scheme *runtime.Scheme) {
	version := schema.GroupVersion{Group: "bench.lotse.dev", Version: "v1"}
	scheme.AddKnownTypes(version, &Item{}, &ItemList{})
	metav1.AddToGroupVersion(scheme, version)
}
