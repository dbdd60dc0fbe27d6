package main

import (
	"bytes"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"
)

// What a webhook did.
type reviews struct {
	PerSecond float64 `json:"perSecond"`
	Count     int     `json:"count"`
	P50       float64 `json:"p50"`
	P99       float64 `json:"p99"`
	Load      float64 `json:"load"`
}

// review sends admission reviews of creations, each writer one after the other; by HTTP/2 where it is offered, as the API
// server does. Each answer has to allow the creation, and to bring a patch.
func review(f flags) (any, error) {
	object := fmt.Sprintf(`{"apiVersion":"bench.lotse.dev/v1","kind":"Item","metadata":{"name":"reviewed","namespace":"default",`+
		`"uid":"5a1c2a04-6b3a-4bd0-9a7e-000000000001","creationTimestamp":"2026-01-01T00:00:00Z","generation":1},"spec":{"payload":"%s"}}`,
		bytes.Repeat([]byte("x"), f.bytes))
	body := fmt.Appendf(nil, `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"5a1c2a04-6b3a-4bd0-9a7e-000000000002",`+
		`"kind":{"group":"bench.lotse.dev","version":"v1","kind":"Item"},"resource":{"group":"bench.lotse.dev","version":"v1","resource":"items"},`+
		`"requestKind":{"group":"bench.lotse.dev","version":"v1","kind":"Item"},"requestResource":{"group":"bench.lotse.dev","version":"v1","resource":"items"},`+
		`"name":"reviewed","namespace":"default","operation":"CREATE","userInfo":{"username":"admin","groups":["system:masters","system:authenticated"]},`+
		`"object":%s,"oldObject":null,"dryRun":false,"options":{"kind":"CreateOptions","apiVersion":"meta.k8s.io/v1"}}}`, object)
	transport := &http.Transport{
		TLSClientConfig:     &tls.Config{InsecureSkipVerify: true}, // A certificate that was made for this, on this machine.
		ForceAttemptHTTP2:   true,
		MaxIdleConnsPerHost: f.writers,
	}
	r := &reviewer{url: f.url, body: body, client: &http.Client{Transport: transport, Timeout: 10 * time.Second}}
	if err := r.untilListening(); err != nil {
		return nil, err
	}
	if err := r.send(f.writers, time.Second); err != nil { // Warm.
		return nil, err
	}
	r.latencies = nil
	before, started := cpu(), time.Now()
	say("measuring")
	if err := r.send(f.writers, time.Duration(f.seconds)*time.Second); err != nil {
		return nil, err
	}
	seconds := time.Since(started).Seconds()
	p50, p99 := percentiles(r.latencies)
	count := len(r.latencies)
	return reviews{PerSecond: float64(count) / seconds, Count: count, P50: p50, P99: p99, Load: (cpu() - before) / seconds}, nil
}

type reviewer struct {
	url    string
	body   []byte
	client *http.Client

	lock      sync.Mutex
	latencies []float64
	err       error
}

func (r *reviewer) untilListening() error {
	var err error
	for range 200 {
		if err = r.one(); err == nil {
			return nil
		}
		time.Sleep(100 * time.Millisecond)
	}
	return err
}

func (r *reviewer) send(writers int, duration time.Duration) error {
	deadline := time.Now().Add(duration)
	var all sync.WaitGroup
	for range writers {
		all.Go(func() {
			latencies := []float64{}
			var err error
			for err == nil && time.Now().Before(deadline) {
				started := time.Now()
				err = r.one()
				latencies = append(latencies, float64(time.Since(started).Microseconds())/1000)
			}
			r.lock.Lock()
			defer r.lock.Unlock()
			r.latencies = append(r.latencies, latencies...)
			if err != nil {
				r.err = err
			}
		})
	}
	all.Wait()
	return r.err
}

func (r *reviewer) one() error {
	response, err := r.client.Post(r.url, "application/json", bytes.NewReader(r.body))
	if err != nil {
		return err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	compact := bytes.ReplaceAll(answer, []byte(" "), nil)
	if response.StatusCode != 200 || !bytes.Contains(compact, []byte(`"allowed":true`)) || !bytes.Contains(compact, []byte(`"patch":"`)) {
		return fmt.Errorf("the webhook answered %s: %.500s", response.Status, answer)
	}
	return nil
}
