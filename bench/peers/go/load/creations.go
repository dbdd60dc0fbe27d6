package main

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// What became of new objects.
type outcome struct {
	// From the first request until the last object was handled: its state and, where there is a marker, its notes were seen.
	Seconds float64 `json:"seconds"`
	// Of all objects together.
	Events int `json:"events"`
	// From sending a creation until the state was seen, in milliseconds.
	P50 float64 `json:"p50"`
	P99 float64 `json:"p99"`
	// Of this process, in cores.
	Load float64 `json:"load"`
}

var ready = []byte(`"state":"Ready"`)

// A run follows the objects that it makes through a watch.
type run struct {
	flags
	client *client
	bodies [][]byte

	lock      sync.Mutex
	sent      []time.Time
	finished  []bool
	latencies []float64
	missing   int
	events    int
	all       chan struct{}
}

func newRun(f flags) (*run, error) {
	c, err := connect(f)
	if err != nil {
		return nil, err
	}
	r := &run{
		flags: f, client: c, missing: f.count, all: make(chan struct{}),
		sent: make([]time.Time, f.count), finished: make([]bool, f.count), bodies: make([][]byte, f.count),
	}
	for index := range r.bodies {
		r.bodies[index] = objectBody(f, r.name(index))
	}
	return r, r.client.watch(context.Background(), f.namespace, r.see)
}

func (r *run) name(index int) string {
	return r.prefix + "-" + strconv.Itoa(index)
}

func (r *run) see(line []byte) {
	now := time.Now()
	digits, isOurs := bytes.CutPrefix(fieldOf(line, "name"), []byte(r.prefix+"-"))
	index, err := strconv.Atoi(string(digits))
	if !isOurs || err != nil {
		return
	}
	r.lock.Lock()
	defer r.lock.Unlock()
	r.events++
	if !bytes.Contains(line, ready) {
		return
	}
	if sent := r.sent[index]; !sent.IsZero() {
		r.latencies = append(r.latencies, float64(now.Sub(sent).Microseconds())/1000)
		r.sent[index] = time.Time{}
	}
	if r.finished[index] || !bytes.Contains(line, []byte(r.marker)) {
		return
	}
	r.finished[index] = true
	if r.missing--; r.missing == 0 {
		close(r.all)
	}
}

// create makes an object, and the patches that an operator would make, where there is none.
func (r *run) create(index int) {
	r.lock.Lock()
	r.sent[index] = time.Now()
	r.lock.Unlock()
	path := itemsPath(r.namespace)
	_, err := r.client.send("POST", path, "application/json", r.bodies[index])
	path += "/" + r.name(index)
	if err == nil && r.raw > 0 {
		_, err = r.client.send("PATCH", path+"/status", mergePatch, []byte(`{"status":{"state":"Ready"}}`))
	}
	if err == nil && r.raw > 1 {
		note := fmt.Appendf(nil, `{"metadata":{"annotations":{"bench.lotse.dev/note":"%s"}}}`, bytes.Repeat([]byte("x"), r.bytes))
		_, err = r.client.send("PATCH", path, mergePatch, note)
	}
	if err != nil {
		fail(err)
	}
}

// burst creates objects as fast as its writers can.
func burst(f flags) (any, error) {
	return measure(f, func(r *run) {
		var next atomic.Int64
		var writers sync.WaitGroup
		for range f.writers {
			writers.Go(func() {
				for index := int(next.Add(1)) - 1; index < f.count; index = int(next.Add(1)) - 1 {
					r.create(index)
				}
			})
		}
		writers.Wait()
	})
}

// paced creates one object every so often, whether or not the one before has been answered.
func paced(f flags) (any, error) {
	return measure(f, func(r *run) {
		started := time.Now()
		var writers sync.WaitGroup
		for index := range f.count {
			time.Sleep(time.Until(started.Add(time.Duration(index) * time.Second / time.Duration(f.perSecond))))
			writers.Go(func() { r.create(index) })
		}
		writers.Wait()
	})
}

func measure(f flags, create func(*run)) (any, error) {
	r, err := newRun(f)
	if err != nil {
		return nil, err
	}
	started, before := time.Now(), cpu()
	create(r)
	select {
	case <-r.all:
	case <-time.After(2 * time.Minute):
		return nil, fmt.Errorf("%d of %d objects were not handled within 2 minutes", r.missing, f.count)
	}
	seconds := time.Since(started).Seconds()
	load := (cpu() - before) / seconds
	time.Sleep(200 * time.Millisecond) // For events after the last that counts.
	r.lock.Lock()
	defer r.lock.Unlock()
	p50, p99 := percentiles(r.latencies)
	return outcome{Seconds: seconds, Events: r.events, P50: p50, P99: p99, Load: load}, nil
}

func percentiles(values []float64) (p50, p99 float64) {
	if len(values) == 0 {
		return 0, 0
	}
	slices.Sort(values)
	return values[len(values)/2], values[min(len(values)-1, len(values)*99/100)]
}

// first makes an object, and the namespace if need be; says when it watches it, and answers when it was handled.
func first(f flags) (any, error) {
	c, err := connect(f)
	if err != nil {
		return nil, err
	}
	namespace := fmt.Appendf(nil, `{"apiVersion":"v1","kind":"Namespace","metadata":{"name":%q}}`, f.namespace)
	_, err = c.send("POST", "/api/v1/namespaces", "application/json", namespace)
	if err != nil && !strings.Contains(err.Error(), "AlreadyExists") {
		return nil, err
	}
	if _, err = c.send("POST", itemsPath(f.namespace), "application/json", objectBody(f, f.prefix)); err != nil {
		return nil, err
	}
	seen := make(chan struct{}, 100)
	err = c.watch(context.Background(), f.namespace, func(line []byte) {
		if bytes.Contains(line, ready) && string(fieldOf(line, "name")) == f.prefix {
			seen <- struct{}{}
		}
	})
	if err != nil {
		return nil, err
	}
	say("watching")
	select {
	case <-seen:
		return "seen", nil
	case <-time.After(time.Minute):
		return nil, fmt.Errorf("the first object was not handled within a minute")
	}
}
