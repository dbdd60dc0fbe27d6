package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
)

// podTemplate returns the JSON of a template with so many containers, as charts of services have them: some 1.2 KB each. Digests and
// identifiers are random, so that it compresses no better than such objects do.
func podTemplate(containers int) []byte {
	random := rand.New(rand.NewPCG(1, 2))
	hex := func(digits int) string {
		text := ""
		for len(text) < digits {
			text += fmt.Sprintf("%016x", random.Uint64())
		}
		return text[:digits]
	}
	list := []any{}
	for index := range containers {
		name := []string{"server", "sidecar", "exporter", "migrations", "worker", "proxy", "cache", "backup"}[index%8]
		env := []any{}
		for _, each := range []string{"DATABASE_URL", "REGION", "TRACE_TOKEN"} {
			env = append(env, map[string]any{"name": each, "value": "https://" + hex(12) + ".example.com/" + hex(8)})
		}
		env = append(env, map[string]any{"name": "PASSWORD", "valueFrom": map[string]any{
			"secretKeyRef": map[string]any{"name": "credentials-" + hex(5), "key": "password"},
		}})
		probe := map[string]any{"httpGet": map[string]any{"path": "/healthz", "port": 8080 + index}, "periodSeconds": 10, "failureThreshold": 3}
		list = append(list, map[string]any{
			"name": name, "image": "registry.example.com/shop/" + name + "@sha256:" + hex(64), "imagePullPolicy": "IfNotPresent",
			"args": []any{"--listen=:" + fmt.Sprint(8080+index), "--config=/etc/shop/" + name + ".yaml"}, "env": env,
			"ports":          []any{map[string]any{"name": "http", "containerPort": 8080 + index, "protocol": "TCP"}},
			"resources":      map[string]any{"requests": map[string]any{"cpu": "100m", "memory": "128Mi"}, "limits": map[string]any{"memory": "256Mi"}},
			"readinessProbe": probe, "livenessProbe": probe,
			"securityContext": map[string]any{"readOnlyRootFilesystem": true, "allowPrivilegeEscalation": false},
			"volumeMounts":    []any{map[string]any{"name": "config", "mountPath": "/etc/shop"}, map[string]any{"name": "tmp", "mountPath": "/tmp"}},
		})
	}
	labels := map[string]any{"app.kubernetes.io/name": "shop", "app.kubernetes.io/version": hex(7)}
	template, _ := json.Marshal(map[string]any{
		"metadata": map[string]any{"labels": labels, "annotations": map[string]any{"checksum/config": hex(64)}},
		"spec": map[string]any{
			"serviceAccountName": "shop", "terminationGracePeriodSeconds": 30, "containers": list,
			"volumes": []any{
				map[string]any{"name": "config", "configMap": map[string]any{"name": "shop-" + hex(10)}},
				map[string]any{"name": "tmp", "emptyDir": map[string]any{}},
			},
		},
	})
	return template
}
