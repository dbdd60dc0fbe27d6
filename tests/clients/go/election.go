package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

// elect takes part in an election, as controller-runtime does, until it is killed or told to end: `elect NAMESPACE NAME IDENTITY`.
// Prints "begin" when it leads, "end" when it does not any more.
func elect(namespace, name, identity string) error {
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		return err
	}
	seconds := func(variable string, otherwise float64) time.Duration {
		value := otherwise
		fmt.Sscanf(os.Getenv(variable), "%f", &value)
		return time.Duration(value * float64(time.Second))
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	lock := &resourcelock.LeaseLock{
		LeaseMeta:  metav1.ObjectMeta{Namespace: namespace, Name: name},
		Client:     kubernetes.NewForConfigOrDie(config).CoordinationV1(),
		LockConfig: resourcelock.ResourceLockConfig{Identity: identity},
	}
	leaderelection.RunOrDie(ctx, leaderelection.LeaderElectionConfig{
		Lock: lock, ReleaseOnCancel: true,
		LeaseDuration: seconds("LEASE_DURATION", 15),
		RenewDeadline: seconds("RENEW_DEADLINE", 10),
		RetryPeriod:   seconds("RETRY_PERIOD", 2),
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(ctx context.Context) {
				fmt.Printf("begin %d\n", time.Now().UnixMilli())
				for ctx.Err() == nil {
					fmt.Printf("works %d\n", time.Now().UnixMilli())
					time.Sleep(50 * time.Millisecond)
				}
			},
			OnStoppedLeading: func() { fmt.Printf("end %d\n", time.Now().UnixMilli()) },
		},
	})
	return nil
}
