// The operator that is measured, on controller-runtime: sets one field of the status of each object that has none. One write.
//
// PEERS_NAMESPACE is the namespace that it serves; PEERS_WORKERS how many objects at a time (1, its default, unless set);
// PEERS_WEBHOOK the port of an admission webhook in place of the controller, with the certificate in the folder PEERS_CERTIFICATES.
package main

import (
	"context"
	"os"
	"strconv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	metrics "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
)

type reconciler struct {
	client.Client
}

func (r *reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	item := &Item{}
	if err := r.Get(ctx, request.NamespacedName, item); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if item.Status.State == "Ready" {
		return ctrl.Result{}, nil
	}
	before := item.DeepCopyObject().(*Item)
	item.Status.State = "Ready"
	return ctrl.Result{}, r.Status().Patch(ctx, item, client.MergeFrom(before))
}

// The defaults that the webhook fills in.
type defaulter struct{}

func (defaulter) Default(_ context.Context, item *Item) error {
	item.Spec.Color = "blue"
	return nil
}

func main() {
	ctrl.SetLogger(zap.New())
	if err := run(); err != nil {
		ctrl.Log.Error(err, "the operator has failed")
		os.Exit(1)
	}
}

func run() error {
	scheme := runtime.NewScheme()
	scheme.AddKnownTypes(version, &Item{}, &ItemList{})
	metav1.AddToGroupVersion(scheme, version)
	config, err := ctrl.GetConfig()
	if err != nil {
		return err
	}
	workers, _ := strconv.Atoi(os.Getenv("PEERS_WORKERS"))
	if workers > 1 {
		config.QPS = -1
	}
	options := ctrl.Options{
		Scheme:  scheme,
		Metrics: metrics.Options{BindAddress: "0"},
		Cache:   cache.Options{DefaultNamespaces: map[string]cache.Config{os.Getenv("PEERS_NAMESPACE"): {}}},
	}
	port, _ := strconv.Atoi(os.Getenv("PEERS_WEBHOOK"))
	if port > 0 {
		options.WebhookServer = webhook.NewServer(webhook.Options{
			Host: "127.0.0.1", Port: port,
			CertDir: os.Getenv("PEERS_CERTIFICATES"), CertName: "server.crt", KeyName: "server.key",
		})
	}
	manager, err := ctrl.NewManager(config, options)
	if err != nil {
		return err
	}
	if port > 0 {
		err = ctrl.NewWebhookManagedBy(manager, &Item{}).WithDefaulter(defaulter{}).Complete()
	} else {
		err = ctrl.NewControllerManagedBy(manager).For(&Item{}).
			// Its default, 2 minutes, is too short for 100,000 objects of 10 KB on a busy machine.
			WithOptions(controller.Options{MaxConcurrentReconciles: workers, CacheSyncTimeout: 10 * time.Minute}).
			Complete(&reconciler{manager.GetClient()})
	}
	if err != nil {
		return err
	}
	return manager.Start(ctrl.SetupSignalHandler())
}
