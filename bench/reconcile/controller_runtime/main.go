// The operator of the benchmark with controller-runtime: one ConfigMap for each Item, by server-side apply. What is there
// already is found in the cache, and is not sent again.
//
// It prints how often it has reconciled: when it listens to SIGUSR2, and at each of them.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	applycore "k8s.io/client-go/applyconfigurations/core/v1"
	applymeta "k8s.io/client-go/applyconfigurations/meta/v1"
	clientscheme "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	metrics "sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

var calls atomic.Int64

type reconciler struct{ client.Client }

func (r *reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	calls.Add(1)
	item, known := &Item{}, &corev1.ConfigMap{}
	if err := r.Get(ctx, request.NamespacedName, item); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	err := r.Get(ctx, request.NamespacedName, known)
	if client.IgnoreNotFound(err) != nil {
		return ctrl.Result{}, err
	}
	if err == nil && known.Data["payload"] == item.Spec.Payload && metav1.IsControlledBy(known, item) {
		return ctrl.Result{}, nil
	}
	owner := applymeta.OwnerReference().WithAPIVersion("bench.lotse.dev/v1").WithKind("Item").
		WithName(item.Name).WithUID(item.UID).WithController(true).WithBlockOwnerDeletion(true)
	wanted := applycore.ConfigMap(item.Name, item.Namespace).WithOwnerReferences(owner).
		WithData(map[string]string{"payload": item.Spec.Payload})
	return ctrl.Result{}, r.Apply(ctx, wanted, client.FieldOwner("bench"), client.ForceOwnership)
}

func main() {
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGUSR2)
	go printCalls(asked)
	log.SetLogger(zap.New())
	scheme := runtime.NewScheme()
	_ = clientscheme.AddToScheme(scheme)
	addItems(scheme)
	config := ctrl.GetConfigOrDie()
	// Nothing holds it back: the limits of a client are no figure of a framework.
	config.QPS = -1
	options := ctrl.Options{Scheme: scheme, Metrics: metrics.Options{BindAddress: "0"}}
	if resync, err := time.ParseDuration(os.Getenv("BENCH_RESYNC") + "s"); err == nil {
		options.Cache = cache.Options{SyncPeriod: &resync}
	}
	manager, err := ctrl.NewManager(config, options)
	check(err)
	check(ctrl.NewControllerManagedBy(manager).For(&Item{}).Owns(&corev1.ConfigMap{}).
		WithOptions(controller.Options{MaxConcurrentReconciles: 32}).
		Complete(&reconciler{manager.GetClient()}))
	check(manager.Start(ctrl.SetupSignalHandler()))
}

func printCalls(asked <-chan os.Signal) {
	for {
		fmt.Printf("calls %d\n", calls.Load())
		<-asked
	}
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
