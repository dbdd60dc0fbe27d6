// Package widget has the tests of a small operator, which start a cluster by envtest as kubebuilder's projects do.
package widget

import (
	"context"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

var kind = schema.GroupVersionKind{Group: "languages.example.com", Version: "v1", Kind: "Widget"}

// newWidget returns an empty Widget.
func newWidget(name string) *unstructured.Unstructured {
	widget := &unstructured.Unstructured{}
	widget.SetGroupVersionKind(kind)
	widget.SetNamespace("default")
	widget.SetName(name)
	return widget
}

// TestOwnedConfigMap starts a manager whose controller makes a ConfigMap for each Widget.
func TestOwnedConfigMap(t *testing.T) {
	environment := &envtest.Environment{CRDDirectoryPaths: []string{"crds"}, ErrorIfCRDPathMissing: true}
	config, err := environment.Start()
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := environment.Stop(); err != nil {
			t.Error(err)
		}
	}()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	manager, err := ctrl.NewManager(config, ctrl.Options{Metrics: server.Options{BindAddress: "0"}})
	if err != nil {
		t.Fatal(err)
	}
	api := manager.GetClient()
	reconciler := reconcile.Func(func(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
		widget := newWidget("")
		if err := api.Get(ctx, request.NamespacedName, widget); err != nil {
			return reconcile.Result{}, client.IgnoreNotFound(err)
		}
		owned := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: widget.GetName()}}
		_, err := controllerutil.CreateOrUpdate(ctx, api, owned, func() error {
			colour, _, _ := unstructured.NestedString(widget.Object, "spec", "colour")
			owned.Data = map[string]string{"colour": colour}
			return controllerutil.SetControllerReference(widget, owned, manager.GetScheme())
		})
		return reconcile.Result{}, err
	})
	if err := ctrl.NewControllerManagedBy(manager).For(newWidget("")).Owns(&corev1.ConfigMap{}).Complete(reconciler); err != nil {
		t.Fatal(err)
	}
	go func() { _ = manager.Start(ctx) }()
	if !manager.GetCache().WaitForCacheSync(ctx) {
		t.Fatal("the cache does not fill")
	}

	widget := newWidget("a")
	if err := unstructured.SetNestedField(widget.Object, int64(1), "spec", "size"); err != nil {
		t.Fatal(err)
	}
	if err := api.Create(ctx, widget); err != nil {
		t.Fatal(err)
	}
	until(t, "its ConfigMap has the default of the definition", func() bool {
		made := &corev1.ConfigMap{}
		err := api.Get(ctx, client.ObjectKeyFromObject(widget), made)
		return err == nil && made.Data["colour"] == "blue"
	})
	wrong := newWidget("b")
	_ = unstructured.SetNestedField(wrong.Object, int64(0), "spec", "size")
	if err := api.Create(ctx, wrong); err == nil {
		t.Error("a Widget of size 0 was taken")
	}
}

// until waits for a condition, for ten seconds at most.
func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); !holds(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not within 10 s: %s", what)
		}
	}
}
