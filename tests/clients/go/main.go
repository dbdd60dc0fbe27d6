// Programs as authors of operators write them in Go, with what they must see on any Kubernetes: each check prints a line,
// "ok <name>" or "not ok <name>: <what was seen instead>".
//
// It works in a namespace of its own, in the cluster of KUBECONFIG, and leaves nothing behind that others could meet. Without
// KUBECONFIG, envtest starts a cluster from the folder that KUBEBUILDER_ASSETS names, as in the tests of a kubebuilder project.
package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
)

// A check of one thing that a client does.
type check struct {
	name string
	run  func(context.Context, *cluster) error
}

// The clients of a cluster. Typed ones speak protocol buffers where the server does, as kube-controller-manager's do.
type cluster struct {
	config        *rest.Config
	typed         kubernetes.Interface
	dynamic       dynamic.Interface
	apiextensions apiextensions.Interface
	namespace     string
}

const patience = 30 * time.Second

func main() {
	klog.SetOutput(os.Stderr)
	klog.LogToStderr(false)
	log.SetLogger(zap.New(zap.WriteTo(os.Stderr)))
	if len(os.Args) == 5 && os.Args[1] == "elect" {
		if err := elect(os.Args[2], os.Args[3], os.Args[4]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 4*time.Minute)
	defer cancel()
	os.Exit(run(ctx))
}

func run(ctx context.Context) int {
	config, stop, err := open()
	if err != nil {
		fmt.Printf("not ok opens a cluster: %v\n", err)
		return 1
	}
	defer stop()
	c, err := connect(ctx, config)
	if err != nil {
		fmt.Printf("not ok connects: %v\n", err)
		return 1
	}
	code := 0
	for _, each := range append(clientGoChecks, controllerRuntimeChecks...) {
		limited, cancel := context.WithTimeout(ctx, time.Minute)
		err := each.run(limited, c)
		cancel()
		if err == nil {
			fmt.Printf("ok %s\n", each.name)
			continue
		}
		code = 1
		fmt.Printf("not ok %s: %s\n", each.name, strings.ReplaceAll(err.Error(), "\n", " "))
	}
	return code
}

// open finds a cluster, or starts one; what it returns ends that again.
func open() (*rest.Config, func(), error) {
	if path := os.Getenv("KUBECONFIG"); path != "" {
		config, err := clientcmd.BuildConfigFromFlags("", path)
		return config, func() {}, err
	}
	environment := &envtest.Environment{}
	config, err := environment.Start()
	stop := func() {
		if err := environment.Stop(); err != nil {
			fmt.Printf("not ok stops the cluster: %v\n", err)
		}
	}
	return config, stop, err
}

func connect(ctx context.Context, config *rest.Config) (*cluster, error) {
	config.QPS, config.Burst = 1000, 1000
	binary := rest.CopyConfig(config)
	binary.ContentType = "application/vnd.kubernetes.protobuf"
	binary.AcceptContentTypes = "application/vnd.kubernetes.protobuf,application/json"
	c := &cluster{
		config:        config,
		typed:         kubernetes.NewForConfigOrDie(binary),
		dynamic:       dynamic.NewForConfigOrDie(config),
		apiextensions: apiextensions.NewForConfigOrDie(binary),
	}
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "go-clients-"}}
	made, err := c.typed.CoreV1().Namespaces().Create(ctx, namespace, metav1.CreateOptions{})
	if err != nil {
		return nil, err
	}
	c.namespace = made.Name
	return c, nil
}

// until waits for a condition; what the condition says meanwhile is the error where it does not come.
func until(ctx context.Context, what string, holds func() (bool, string)) error {
	seen := ""
	err := wait.PollUntilContextTimeout(ctx, 20*time.Millisecond, patience, true, func(context.Context) (bool, error) {
		var is bool
		is, seen = holds()
		return is, nil
	})
	if err != nil {
		return fmt.Errorf("%s: %s (%w)", what, seen, err)
	}
	return nil
}

// expect compares what was seen with what must be.
func expect[T comparable](what string, seen, wanted T) error {
	if seen == wanted {
		return nil
	}
	return fmt.Errorf("%s is %v, not %v", what, seen, wanted)
}

// first returns the first error of several.
func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
