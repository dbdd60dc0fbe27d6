package main

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/tools/cache"
)

// What clients see of a kind that is defined while they run.
var customChecks = []check{
	{"client-go: a definition in protocol buffers is established", func(ctx context.Context, c *cluster) error { return c.define(ctx) }},
	{"client-go: the dynamic client, schemas, rules and the status", dynamicWrites},
	{"client-go: a dynamic informer follows objects of a kind of one's own", dynamicInformer},
}

func init() {
	clientGoChecks = append(clientGoChecks, customChecks...)
}

func newWidget(name string, spec map[string]any) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": widgets.GroupVersion().String(),
		"kind":       "Widget",
		"metadata":   map[string]any{"name": name},
		"spec":       spec,
	}}
}

func dynamicWrites(ctx context.Context, c *cluster) error {
	client := c.dynamic.Resource(widgets).Namespace(c.namespace)
	made, err := client.Create(ctx, newWidget("one", map[string]any{"size": int64(3), "unknown": "x"}), metav1.CreateOptions{})
	if err != nil {
		return err
	}
	color, _, _ := unstructured.NestedString(made.Object, "spec", "color")
	_, isKept, _ := unstructured.NestedString(made.Object, "spec", "unknown")
	_, strict := client.Create(ctx, newWidget("strict", map[string]any{"unknown": "x"}),
		metav1.CreateOptions{FieldValidation: metav1.FieldValidationStrict})
	_, invalid := client.Create(ctx, newWidget("large", map[string]any{"size": int64(1000)}), metav1.CreateOptions{})
	field := ""
	if status, ok := invalid.(errors.APIStatus); ok && status.Status().Details != nil {
		for _, cause := range status.Status().Details.Causes {
			field += cause.Field
		}
	}
	_, shrinking := client.Patch(ctx, "one", types.MergePatchType, []byte(`{"spec":{"size":1}}`), metav1.PatchOptions{})
	status := []byte(`{"spec":{"size":50},"status":{"phase":"Ready"}}`)
	patched, err := client.Patch(ctx, "one", types.MergePatchType, status, metav1.PatchOptions{}, "status")
	if err != nil {
		return err
	}
	size, _, _ := unstructured.NestedInt64(patched.Object, "spec", "size")
	phase, _, _ := unstructured.NestedString(patched.Object, "status", "phase")
	applied, err := client.Apply(ctx, "applied", newWidget("applied", map[string]any{"size": int64(2)}),
		metav1.ApplyOptions{FieldManager: "clients"})
	if err != nil {
		return err
	}
	return first(
		expect("the default", color, "blue"),
		expect("an unknown field is kept", isKept, false),
		expect("a strict request with one is a BadRequest", errors.IsBadRequest(strict), true),
		expect("Invalid", errors.IsInvalid(invalid), true),
		expect("the field", field, "spec.size"),
		expect("the rule's refusal", errors.IsInvalid(shrinking), true),
		expect("the size after a patch of the status", size, int64(3)),
		expect("the phase", phase, "Ready"),
		expect("the generation after it", patched.GetGeneration(), made.GetGeneration()),
		expect("applied by", applied.GetManagedFields()[0].Manager, "clients"),
	)
}

func dynamicInformer(ctx context.Context, c *cluster) error {
	factory := dynamicinformer.NewFilteredDynamicSharedInformerFactory(c.dynamic, 0, c.namespace, nil)
	informer := factory.ForResource(widgets)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	_ = informer.Informer()
	factory.Start(ctx.Done())
	if !cache.WaitForCacheSync(ctx.Done(), informer.Informer().HasSynced) {
		return fmt.Errorf("the cache was not synced")
	}
	client := c.dynamic.Resource(widgets).Namespace(c.namespace)
	if _, err := client.Create(ctx, newWidget("two", map[string]any{"size": int64(1)}), metav1.CreateOptions{}); err != nil {
		return err
	}
	isThere := func(name string, wanted bool) error {
		return until(ctx, name, func() (bool, string) {
			_, err := informer.Lister().ByNamespace(c.namespace).Get(name)
			return (err == nil) == wanted, fmt.Sprint(err)
		})
	}
	err := first(isThere("one", true), isThere("two", true))
	if err != nil {
		return err
	}
	if err := client.Delete(ctx, "two", metav1.DeleteOptions{}); err != nil {
		return err
	}
	return isThere("two", false)
}
